"""Suites: what is installed, and how a benchmark's export becomes one."""

from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from contracts.errors import UnknownName
from contracts.suites import SourceStatus, SuiteClass
from evaluation_assets.surfaces.cli.options import ExportRoot, Json
from evaluation_assets.surfaces.cli.output import print_fields, print_json, print_lines, print_table, say
from evaluation_assets.surfaces.cli.progress import steps
from evaluation_assets.surfaces.cli.session import Session, session_of


def suite_list(context: typer.Context, as_json: Json = False) -> None:
    """List the suites of the store and those that are built in.

    A built-in suite enters the store with the first run that asks for it.

    Exit status: 0 read; 2 wrong input.

    \b
    Examples:  evalplane suite list
               evalplane suite list --json | jq -r '.[].suite_id'
    """
    rows = suite_rows(session_of(context))
    if as_json:
        print_json([row._asdict() for row in rows])
        return
    print_table(
        ("suite", "cases", "arms", "source", "installed", "tracks"),
        [(row.suite_id, row.case_count, len(row.arm_ids), row.source_status, row.installed, row.tracks) for row in rows],
    )


def suite_show(
    context: typer.Context, suite_id: Annotated[str, typer.Argument(metavar="ID", help="Suite id.")], as_json: Json = False
) -> None:
    """Show one installed suite: where it comes from, what it holds, what it can't say.

    Exit status: 0 read; 2 wrong input; 3 bytes do not match their digests.

    \b
    Example:  evalplane suite show evaluation-smoke
    """
    from evaluation_assets.suites.builtin import BUILTIN_SUITES

    try:
        manifest = session_of(context).store.suites.open(suite_id)
    except UnknownName:
        if suite_id not in BUILTIN_SUITES:
            raise
        raise UnknownName(
            "This built-in suite was not used yet.", at=f"suite {suite_id}", fix=f"evalplane run once --target fixture --suite {suite_id}"
        ) from None
    suite = manifest.suite
    if as_json:
        print_json({"suite_id": suite.suite_id, **manifest.to_json()})
        return
    print_fields(
        [
            ("suite", suite.suite_id),
            ("name", suite.name),
            ("revision", manifest.revision),
            ("installed", manifest.installed_at.isoformat()),
            ("class", suite.suite_class),
            ("adapter", suite.adapter_id),
            ("normalizer", suite.normalizer_id),
            ("origin", suite.origin),
            ("source", suite.source.status),
            ("cases", suite.case_count),
            ("arms", list(suite.arm_ids)),
            ("tracks", [str(t) for t in suite.tracks]),
            ("grader", suite.grader_id),
            ("split", suite.split_protocol),
            ("redistribution", suite.redistribution),
            *(("quality", f"{issue.kind} ({issue.count}): {issue.detail}") for issue in suite.quality_issues),
            *(("limit", limit) for limit in suite.limitations),
        ]
    )


def suite_normalize(
    *,
    adapter: Annotated[str, typer.Option("--adapter", metavar="ID", help="Benchmark adapter: see `evalplane benchmarks`.")],
    suite_id: Annotated[str, typer.Option("--suite-id", metavar="ID", help="Id of the new suite: lower case, digits, `.`, `_`, `-`.")],
    export_root: ExportRoot,
    output: Annotated[Path, typer.Option("--output", metavar="DIR", help="New folder for request.json and bundle/; must not exist.")],
    suite_name: Annotated[str | None, typer.Option("--suite-name", metavar="TEXT", help="Name for people; default: the suite id.")] = None,
    as_json: Json = False,
) -> None:
    """Turn a benchmark's export into a bundle.

    It is what `suite-install` takes. The registered parser reads the declared files alone and runs no code of theirs. The same
    export gives the same bytes.

    Exit status: 0 written; 2 wrong input or refused, nothing was written; 130 interrupted, nothing was written.

    \b
    Example:  evalplane suite-normalize --adapter coderouterbench --suite-id crb --export-root export --output crb-bundle
    """
    from evaluation_assets.suites.bundle import BUNDLE, REQUEST, normalize_to_bundle

    with steps() as tell:
        request = normalize_to_bundle(
            adapter, suite_id=suite_id, name=suite_name or suite_id, export_root=export_root, output=output, progress=tell
        )
    suite = request.suite
    if as_json:
        print_json(
            {"suite_id": suite.suite_id, "request": str(output / REQUEST), "bundle": str(output / BUNDLE), "revision": suite.revision()}
        )
        return
    print_lines([f"{output / REQUEST}  {suite.case_count} cases  {len(suite.arm_ids)} arms  {suite.source.status}"])
    say(f"next: evalplane suite-install --request {output / REQUEST} --bundle {output / BUNDLE} --export-root {export_root}")


def suite_install(
    context: typer.Context,
    *,
    request: Annotated[Path, typer.Option("--request", metavar="FILE", help="request.json that `suite-normalize` wrote.")],
    bundle: Annotated[Path, typer.Option("--bundle", metavar="DIR", help="bundle/ that `suite-normalize` wrote.")],
    export_root: ExportRoot,
    suite_store: Annotated[
        Path | None,
        typer.Option("--suite-store", metavar="DIR", help="Install there, not at --root: a store, its suites/, or a new folder."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Check a bundle against its export and install it.

    The parser runs again and must give the same bytes. Without a checkout of the source the suite is `source_unverified`: E0 for
    ever. What `--suite-store DIR` received is run with `evalplane --root DIR`. Prints the suite id; installing the same suite again
    changes nothing.

    Exit status: 0 installed; 2 wrong input or refused; 3 bytes do not match their digests. Without 0 there is no new suite.

    \b
    Example:  evalplane suite-install --request crb-bundle/request.json --bundle crb-bundle/bundle --export-root export
    """
    from contracts.clock import utc_now
    from evaluation_assets.suites.install import install_bundle

    session = session_of(context) if suite_store is None else Session(store_root(suite_store))
    with session.founding() as store, steps() as tell:
        manifest = install_bundle(store.suites, request_path=request, bundle=bundle, export_root=export_root, now=utc_now(), progress=tell)
        store.audit.append(
            now=utc_now(),
            action="install",
            decision="allowed",
            reason_code="owner",
            actor=session.principal(),
            resource_kind="suite",
            resource_id=manifest.suite.suite_id,
            subject_digest=manifest.identity(),
        )
    suite = manifest.suite
    if as_json:
        print_json({"suite_id": suite.suite_id, "revision": manifest.revision, "source_status": suite.source.status})
        return
    print_lines([suite.suite_id])
    say(f"{suite.case_count} cases, {len(suite.arm_ids)} arms, {suite.source.status}; tracks: {', '.join(suite.tracks)}")
    say(f"next: {session.command(f'run once --target benchmark-source --suite {suite.suite_id}')}")


class SuiteRow(NamedTuple):
    """One suite as lists show it. `revision` and `adapter_id` are absent while a built-in suite is not installed."""

    suite_id: str
    name: str
    suite_class: str
    revision: str | None
    adapter_id: str | None
    origin: str
    source_status: str
    case_count: int
    arm_ids: list[str]
    tracks: list[str]
    limitations: list[str]
    installed: bool


def suite_rows(session: Session) -> list[SuiteRow]:
    """Sorted by id: installed suites, and built-in ones that no run has asked for yet."""
    rows = {row.suite_id: row for row in _builtin()}
    if not (session.root / "layout.json").exists():
        say(f"no store at {session.root}: only what is built in")
        return list(rows.values())
    for manifest in session.store.suites.manifests():
        suite = manifest.suite
        rows[suite.suite_id] = SuiteRow(
            suite.suite_id,
            suite.name,
            suite.suite_class,
            manifest.revision,
            suite.adapter_id,
            suite.origin,
            suite.source.status,
            suite.case_count,
            list(suite.arm_ids),
            [str(track) for track in suite.tracks],
            list(suite.limitations),
            installed=True,
        )
    return [rows[name] for name in sorted(rows)]


def _builtin() -> list[SuiteRow]:
    from contracts.cohorts import FixtureCohort
    from contracts.tracks import in_order
    from evaluation_assets.suites.builtin import BUILTIN_SUITES

    found = []
    for cohort in (read() for read in BUILTIN_SUITES.values()):
        tracks = in_order(track for case in cohort.cases for track in case.tracks)
        found.append(
            SuiteRow(
                cohort.suite_id,
                cohort.name,
                SuiteClass.FIXTURE if isinstance(cohort, FixtureCohort) else SuiteClass.COHORT,
                None,
                None,
                "builtin",
                SourceStatus.BUILTIN,
                len(cohort.cases),
                sorted(cohort.arm_ids) if isinstance(cohort, FixtureCohort) else [],
                [str(track) for track in tracks],
                list(cohort.limitations),
                installed=False,
            )
        )
    return found


def store_root(directory: Path) -> Path:
    """The root that --suite-store means: the parent when a store's own suites/ was named, else the folder itself."""
    directory = directory.absolute()
    return directory.parent if directory.name == "suites" and (directory.parent / "layout.json").exists() else directory

"""What ships with the package: benchmarks and their normalizers, executors, targets, change profiles, metrics."""

from typing import TYPE_CHECKING, Annotated

import typer

from contracts.errors import UnknownName
from contracts.strict_json import JsonValue
from evaluation_assets.surfaces.cli.options import Json
from evaluation_assets.surfaces.cli.output import print_fields, print_json, print_lines, print_table
from evaluation_assets.surfaces.cli.session import session_of
from evaluation_assets.surfaces.cli.suites import suite_rows

if TYPE_CHECKING:
    from contracts.executors import ExecutionCatalog
    from contracts.mixtures import Mixture

GATES = tuple(f"G{number}" for number in range(10))


def catalog(context: typer.Context, as_json: Json = False) -> None:
    """Show targets, suites, tracks and change profiles.

    A target runs a suite when one of its executors takes suites of that class.

    Exit status: 0 read; 2 wrong input.

    \b
    Examples:  evalplane catalog
               evalplane catalog --json | jq -r '.targets[].target_id'
    """
    from contracts.catalogs import execution_catalog, gate_policy
    from contracts.tracks import Track

    session = session_of(context)
    known, suites, mixtures = execution_catalog(), suite_rows(session), session.subjects.mixtures()
    if as_json:
        print_json(
            {
                "targets": [
                    *(row.to_json() for row in known.targets),
                    *(_mixture_row(target_id, mixture, known) for target_id, mixture in mixtures.items()),
                ],
                "executors": [row.to_json() for row in known.executors],
                "suites": [row._asdict() for row in suites],
                "tracks": [str(track) for track in Track],
                "change_profiles": [row.profile for row in gate_policy().profiles],
            }
        )
        return
    executors = {row.executor_id: row for row in known.executors}
    print_table(
        ("target", "mode", "executor", "suites of class", "ceiling"),
        [
            (
                target_id,
                entry.mode,
                entry.executor_id,
                executors[entry.executor_id].suite_class,
                executors[entry.executor_id].ceiling,
            )
            for target_id, accepts in (
                *((row.target_id, row.accepts) for row in known.targets),
                *((target_id, known.mixture_accepts) for target_id in mixtures),
            )
            for entry in accepts
        ],
    )
    print_lines([""])
    print_table(("suite", "class", "cases", "tracks"), [(row.suite_id, row.suite_class, row.case_count, row.tracks) for row in suites])
    print_lines(["", f"change profiles: {', '.join(row.profile for row in gate_policy().profiles)}"])


def _mixture_row(target_id: str, mixture: "Mixture", known: "ExecutionCatalog") -> dict[str, JsonValue]:
    accepts: list[JsonValue] = [entry.to_json() for entry in known.mixture_accepts]
    return {
        "target_id": target_id,
        "kind": "mixture-of-models",
        "name": mixture.recipe_name,
        "description": mixture.description,
        "accepts": accepts,
    }


def benchmarks(
    adapter: Annotated[str | None, typer.Argument(metavar="ID", help="One benchmark, by its adapter id.")] = None, as_json: Json = False
) -> None:
    """List the research benchmarks, or show one.

    One has its pins, licence and limits. All are listed, whether or not anything of them can be imported.

    Exit status: 0 read; 2 wrong input.

    \b
    Examples:  evalplane benchmarks
               evalplane benchmarks coderouterbench
    """
    from evaluation_assets.benchmarks.inventory import inventory, inventory_rows

    known = inventory()
    if adapter is None:
        if as_json:
            print_json([row.to_json() for row in known.benchmarks])
        else:
            print_table(
                ("adapter", "name", "parser", "tracks", "proved on"),
                [(row.adapter_id, row.name, row.state, [str(track) for track in row.tracks], row.proved_on) for row in inventory_rows()],
            )
        return
    row, normalizer, pins = known.benchmark(adapter), known.normalizer_of(adapter), known.sources_of(adapter)
    if as_json:
        print_json({**row.to_json(), "normalizer": normalizer.to_json(), "sources": [pin.to_json() for pin in pins]})
        return
    print_fields(
        [
            ("adapter", row.adapter_id),
            ("name", row.name),
            ("status", row.status),
            ("diagnostic only", row.diagnostic_reason),
            ("ambition", row.native_ambition),
            ("decides per", row.decision_unit),
            ("action", row.action_space),
            ("split", row.split_protocol),
            ("licence", row.licence),
            ("redistribution", row.redistribution),
            ("normalizer", normalizer.normalizer_id),
            *(("pin", f"{pin.repository} {pin.revision}") for pin in pins),
            *(("limit", limit) for limit in row.limitations),
        ]
    )


def normalizers(
    wanted: Annotated[str | None, typer.Argument(metavar="ID", help="Its own id, or its adapter's.")] = None,
    *,
    runnable_only: Annotated[bool, typer.Option("--runnable-only", help="Leave out what this version can't import.")] = False,
    as_json: Json = False,
) -> None:
    """List what can be imported from each benchmark.

    `runnable`: the pin has an export that can be read without running its code. `available`: the parser ships.

    Exit status: 0 read; 2 wrong input.

    \b
    Examples:  evalplane normalizers --runnable-only
               evalplane normalizers coderouterbench --json
    """
    from evaluation_assets.benchmarks.inventory import inventory

    rows = inventory().normalizers
    if wanted is None:
        rows = tuple(row for row in rows if row.available or not runnable_only)
        if as_json:
            print_json([row.to_json() for row in rows])
        else:
            print_table(
                ("adapter", "normalizer", "runnable", "available", "ceiling", "tracks"),
                [
                    (row.adapter_id, row.normalizer_id, row.runnable, row.available, row.evidence_ceiling, [str(t) for t in row.tracks])
                    for row in rows
                ],
            )
        return
    row = next((row for row in rows if wanted in (row.adapter_id, row.normalizer_id)), None)
    if row is None:
        raise UnknownName("There is no normalizer of this id.", at="normalizer", fix="list them with `evalplane normalizers`")
    if as_json:
        print_json(row.to_json())
        return
    print_fields(
        [
            ("normalizer", row.normalizer_id),
            ("adapter", row.adapter_id),
            ("runnable", row.runnable),
            ("available", row.available),
            ("reason", row.reason),
            ("proved on", row.proved_on),
            ("ceiling", row.evidence_ceiling),
            ("tracks", [str(t) for t in row.tracks]),
            ("files", list(row.required_files)),
            ("produces", list(row.produces)),
            *(("may claim", claim) for claim in row.may_claim),
            *(("limit", limit) for limit in row.limitations),
        ]
    )


def executors(as_json: Json = False) -> None:
    """List who executes a run, and how deep it can look.

    Exit status: 0 read; 2 wrong input.

    \b
    Example:  evalplane executors
    """
    from contracts.catalogs import execution_catalog

    rows = execution_catalog().executors
    if as_json:
        print_json([row.to_json() for row in rows])
        return
    print_table(
        ("executor", "mode", "suites of class", "ceiling", "environment", "tracks"),
        [(row.executor_id, row.mode, row.suite_class, row.ceiling, row.environment_kind, [str(t) for t in row.tracks]) for row in rows],
    )


def profiles(as_json: Json = False) -> None:
    """List what each gate means for each change profile.

    A required gate must pass, an advisory one is reported, `-` is not applicable.

    Exit status: 0 read; 2 wrong input.

    \b
    Example:  evalplane profiles
    """
    from contracts.catalogs import gate_policy
    from contracts.gates import Disposition

    rows = gate_policy().profiles
    if as_json:
        print_json([{"profile": row.profile, "dispositions": dict(zip(GATES, map(str, row.dispositions), strict=True))} for row in rows])
        return
    print_table(
        ("profile", *GATES),
        [(row.profile, *(None if it is Disposition.NOT_APPLICABLE else str(it) for it in row.dispositions)) for row in rows],
    )


def metrics(as_json: Json = False) -> None:
    """List the metrics: unit, direction, what n counts.

    `<arm>` stands for one metric per arm. A metric without a reducer is null in every run.

    Exit status: 0 read; 2 wrong input.

    \b
    Example:  evalplane metrics --json | jq -r '.[] | select(.track == "joint") | .metric_id'
    """
    from contracts.catalogs import metric_catalog

    rows = metric_catalog().metrics
    if as_json:
        print_json([row.to_json() for row in rows])
        return
    print_table(
        ("metric", "unit", "direction", "counts", "interval", "reduced"),
        [(row.metric_id, row.unit, row.direction, row.counted_unit, row.interval, row.reduced) for row in rows],
    )

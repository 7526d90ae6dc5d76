"""From the options of `run create` and `run once` to a frozen run."""

from contextlib import nullcontext
from typing import TYPE_CHECKING
from uuid import uuid4

from contracts.errors import UnknownName
from evaluation_assets.surfaces.cli.session import Session

if TYPE_CHECKING:
    from contracts.runs import Mode
    from contracts.tracks import Track
    from ledgers.store.runs import RunDirectory
    from ledgers.store.store import Store


def create_from_options(
    session: Session,
    *,
    target: str,
    suites: list[str],
    mode: str,
    profile: str,
    tracks: str | None,
    name: str | None,
    description: str,
    seed: int,
    samples: int | None,
    concurrency: int,
    baseline: str | None,
    run_id: str | None,
) -> "RunDirectory":
    """Admit and freeze what the options ask for. A store that was not there before is made only for a request that is admitted."""
    from contracts.clock import utc_now
    from contracts.runs import RunRequest
    from evaluation_assets.runs.create import create_run
    from evaluation_assets.suites.builtin import BUILTIN_SUITES

    wanted = _mode(mode)
    _check_names(session, target, profile)
    with session.founding() if set(suites) <= set(BUILTIN_SUITES) else nullcontext(session.store) as store:
        chosen = _shared_tracks(session, store, target, wanted, suites) if tracks is None else _named_tracks(tracks)
        request = RunRequest.build(
            {
                "run_id": run_id,
                "name": name or f"{', '.join(suites)} on {target[:20]}"[:200],
                "description": description,
                "suite_ids": suites,
                "tracks": [str(track) for track in chosen],
                "mode": str(wanted),
                "target_id": target,
                "change_profile": profile,
                "sample_limit": samples,
                "concurrency": concurrency,
                "seed": seed,
                "baseline_run_id": None if baseline is None else store.find_run(baseline).run_id,
            },
            "run request",
        )
        return create_run(
            store,
            request,
            run_id=request.run_id or str(uuid4()),
            principal=session.principal(),
            now=utc_now(),
            subjects=session.subjects,
        )


def _check_names(session: Session, target: str, profile: str) -> None:
    """UnknownName for a target or a change profile that does not exist, before anything is made for it."""
    from contracts.catalogs import gate_policy

    session.subjects.snapshot(target)
    profiles = [row.profile for row in gate_policy().profiles]
    if profile not in profiles:
        raise UnknownName(
            "There is no change profile of this id.", at=f"--profile {profile[:64]}", fix=f"choose one of {', '.join(profiles)}"
        )


def _mode(name: str) -> "Mode":
    from contracts.runs import Mode

    if name not in set(Mode):
        raise UnknownName("There is no mode of this name.", at=f"--mode {name[:64]}", fix=f"choose one of {', '.join(Mode)}")
    return Mode(name)


def _named_tracks(names: str) -> "tuple[Track, ...]":
    from contracts.tracks import Track, in_order

    wanted = [name.strip() for name in names.split(",") if name.strip()]
    unknown = [name for name in wanted if name not in set(Track)]
    if unknown or not wanted:
        raise UnknownName(
            "There is no track of this name.", at=f"--tracks {(unknown or [names])[0][:64]}", fix=f"choose from {', '.join(Track)}"
        )
    return in_order(Track(name) for name in wanted)


def _shared_tracks(session: Session, store: "Store", target_id: str, mode: "Mode", suites: list[str]) -> "tuple[Track, ...]":
    """Tracks of the suites that an executor of the target observes; all of the suites' if there is none, so that admission says why."""
    from contracts.catalogs import execution_catalog
    from contracts.clock import utc_now
    from contracts.tracks import in_order
    from evaluation_assets.suites.builtin import open_suite

    found = [open_suite(store, suite_id, now=utc_now()).suite for suite_id in suites]
    target = session.subjects.snapshot(target_id)
    accepted = {entry.executor_id for entry in execution_catalog().accepted_by(target.kind, target.target_id) if entry.mode is mode}
    observed = {
        track
        for row in execution_catalog().executors
        if row.executor_id in accepted and all(suite.suite_class is row.suite_class for suite in found)
        for track in row.tracks
    }
    carried = {track for suite in found for track in suite.tracks}
    return in_order(carried & observed or carried)

"""`evalplane verify`: is every byte what its seal says, and do the numbers follow from the records?"""

from typing import TYPE_CHECKING, Annotated

import typer

from contracts.errors import EvaluationError, InputError
from evaluation_assets.reports.words import counted
from evaluation_assets.surfaces.cli.options import Json
from evaluation_assets.surfaces.cli.output import print_json, print_table, say
from evaluation_assets.surfaces.cli.progress import stages
from evaluation_assets.surfaces.cli.runs import short
from evaluation_assets.surfaces.cli.session import session_of

if TYPE_CHECKING:
    from contracts.verification import VerifyProblem, VerifyResult
    from ledgers.store.runs import RunDirectory
    from ledgers.store.store import Store

REBUILD, DAMAGED = 1, 3
_REMEDY = {True: "evalplane evidence rebuild", False: "restore it from a copy"}


def verify(
    context: typer.Context,
    run: Annotated[str | None, typer.Argument(metavar="RUN", help="`latest`, a run id, or the beginning of one.")] = None,
    *,
    every: Annotated[bool, typer.Option("--all", help="Every sealed run, and the audit log; so it is without RUN.")] = False,
    digests_only: Annotated[bool, typer.Option("--digests-only", help="Compare bytes with digests, compute nothing again.")] = False,
    as_json: Json = False,
) -> None:
    """Check sealed runs byte by byte and compute them again.

    Inventory, digests, suites and audit log; then plan, records, metrics, verdicts and report once more. Only the version of the
    package that sealed a run can compute it again; another one says so and compares bytes.

    Exit status: 0 clean; 1 only derived parts need a rebuild; 2 wrong input, or the run is not sealed; 3 bytes do not match.

    \b
    Examples:  evalplane verify latest
               evalplane verify --all --digests-only
    """
    from evaluation_assets.surfaces.cli.sealed import is_sealed

    if run is not None and every:
        raise InputError("Name one run, or ask for all of them.", at="--all", fix="leave out one of the two")
    store = session_of(context).store
    if run is not None:
        one = _verified(store, store.find_run(run), digests_only=digests_only)
        if as_json:
            print_json(one.to_json())
        else:
            _print([one], [])
        _leave([*one.problems])
        return
    runs = [store.run(run_id) for run_id in store.run_ids()]
    found = [_verified(store, sealed, digests_only=digests_only) for sealed in runs if is_sealed(sealed)]
    others = _store_problems(store, digests_only=digests_only, clean=all(it.clean for it in found))
    if as_json:
        print_json(
            {
                "clean": all(it.clean for it in found) and all(it.derived for it in others),
                "runs": [it.to_json() for it in found],
                "problems": [it.to_json() for it in others],
            }
        )
    else:
        _print(found, others)
    say(f"{len(found)} of {counted(len(runs), 'run')} sealed")
    _leave([*others, *(problem for it in found for problem in it.problems)])


def _verified(store: "Store", run: "RunDirectory", *, digests_only: bool) -> "VerifyResult":
    """The run itself, and its part of the evidence index if the run is clean."""
    from evaluation_assets.reports.verification import verify_run
    from evaluation_assets.surfaces.derived import run_problems

    with stages() as tell:
        result = verify_run(store, run, digests_only=digests_only, progress=tell)
    derived = run_problems(store, run, digests_only=digests_only) if result.clean else []
    return result.model_copy(update={"problems": (*result.problems, *derived)})


def _store_problems(store: "Store", *, digests_only: bool, clean: bool) -> "list[VerifyProblem]":
    """What belongs to no single run: the audit log, and the tables and views of the evidence index."""
    from contracts.verification import VerifyProblem
    from evaluation_assets.surfaces.derived import store_problems

    try:
        store.audit.verify()
    except EvaluationError as error:
        return [VerifyProblem(path=f"audit/{error.at}"[:256], problem=error.message)]
    return store_problems(store, digests_only=digests_only) if clean else []


def _print(found: "list[VerifyResult]", others: "list[VerifyProblem]") -> None:
    print_table(("run", "result", "files", "computed again"), [(short(it.run_id), _result(it), it.files, it.note or "yes") for it in found])
    problems = [(short(it.run_id), problem) for it in found for problem in it.problems] + [(None, problem) for problem in others]
    if problems:
        print_table(("run", "file", "problem", "remedy"), [(run_id, it.path, it.problem, _REMEDY[it.derived]) for run_id, it in problems])


def _result(result: "VerifyResult") -> str:
    if not result.problems:
        return "clean"
    return "rebuild" if result.clean else counted(len(result.problems), "problem")


def _leave(problems: "list[VerifyProblem]") -> None:
    if any(not problem.derived for problem in problems):
        raise typer.Exit(DAMAGED)
    if problems:
        raise typer.Exit(REBUILD)

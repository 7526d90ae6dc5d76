"""What a sealed run says: its report and its ten verdicts."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from contracts.errors import InputError, UnknownName
from contracts.gates import Disposition, GateResult, Verdict
from contracts.measured import Interval, Reason
from contracts.metrics import MetricValue
from contracts.reports import LedgerCost, Report
from evaluation_assets.reports.words import LEDGERS, REASONS, counted, number, usd
from evaluation_assets.surfaces.cli.options import Json, RunArgument
from evaluation_assets.surfaces.cli.output import print_json, print_lines, print_table, say
from evaluation_assets.surfaces.cli.session import session_of
from evaluation_assets.surfaces.cli.summary import summary

NOT_MET = 1


def report(
    context: typer.Context,
    run: RunArgument,
    *,
    html: Annotated[Path | None, typer.Option("--html", metavar="FILE", help="Also copy the report page to FILE.")] = None,
    as_json: Json = False,
) -> None:
    """Show the sealed report of a run.

    Level, verdicts, coverage, metrics, costs, findings. --json prints report.json as it was sealed. An E0 report is a diagnostic
    and has no headline.

    Exit status: 0 read; 2 wrong input, or the run is not sealed; 3 bytes do not match their digests.

    \b
    Examples:  evalplane report latest
               evalplane report latest --html report.html
               evalplane report latest --json | jq '.metrics[] | select(.value == null) | [.metric_id, .reason]'
    """
    from evaluation_assets.surfaces.cli.sealed import page_of, report_of

    found = session_of(context).store.find_run(run)
    sealed = report_of(found)
    if html is not None:
        _write(html, page_of(found))
    if as_json:
        typer.echo(sealed.canonical())
        return
    print_lines(summary(sealed))
    _print_metrics(sealed)
    _print_costs(sealed)
    _print_findings(sealed)


def gates(
    context: typer.Context,
    run: RunArgument,
    *,
    only: Annotated[str | None, typer.Option("--only", metavar="G0..G9", help="One gate, with the evidence it asked for.")] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Exit 1 unless every required gate passes; with --only, unless that gate passes.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Show the ten verdicts of a sealed run.

    And what each one still needs: `unavailable` names the evidence that is missing; it is never a pass. The rules: docs/gates.md.

    Exit status: 0 read, whatever the verdicts; 1 --check was not met; 2 wrong input, or the run is not sealed; 3 bytes do not match
    their digests.

    \b
    Examples:  evalplane gates latest --only G3
               evalplane gates latest --json | jq '.gates[] | select(.verdict != "pass")'
    """
    from evaluation_assets.surfaces.cli.sealed import gates_of

    found = session_of(context).store.find_run(run)
    shown = [gate for gate in gates_of(found).gates if only in (None, gate.gate)]
    if not shown:
        raise UnknownName("There is no gate of this id.", at="--only", fix="name one of G0 to G9")
    if as_json:
        print_json({"run_id": found.run_id, "gates": [gate.to_json() for gate in shown]})
    else:
        print_lines(line for gate in shown for line in _gate(gate))
    unmet = [gate for gate in shown if check and not _is_met(gate, alone=only is not None)]
    if unmet:
        say(f"not met: {', '.join(f'{gate.gate} {gate.verdict} ({gate.disposition})' for gate in unmet)}")
        raise typer.Exit(NOT_MET)


def _gate(gate: GateResult) -> Iterator[str]:
    """Verdict, what was compared, and why; then what is missing."""
    observed = _observed(gate)
    yield f"{gate.gate}  {gate.verdict:<14}  {gate.disposition:<14}  {gate.name}" + (f"  {observed}" if observed else "")
    yield f"    {gate.rationale}"
    if gate.missing:
        yield f"    needs {', '.join(gate.missing)}"


def _is_met(gate: GateResult, *, alone: bool) -> bool:
    return gate.verdict is Verdict.PASS or (gate.disposition is not Disposition.REQUIRED and not alone)


def _observed(gate: GateResult) -> str | None:
    if gate.observed is None:
        return None
    against = "" if gate.threshold is None else f" {gate.operator or 'against'} {number(gate.threshold)}"
    return f"{number(gate.observed)}{against}" + ("" if gate.n is None else f" (n {gate.n})")


def _print_metrics(sealed: Report) -> None:
    known = [metric for metric in sealed.metrics if metric.reason is not Reason.NO_REDUCER]
    rows = [metric for metric in known if metric.slice == "all"]
    print_lines([""])
    print_table(
        ("metric", "value", "interval", "n", "unit"),
        [(row.metric_id, _value(row), _interval(row.interval), f"{row.n} of {row.planned_n}", row.unit) for row in rows],
    )
    if len(rows) < len(known):
        print_lines([f"and {counted(len(known) - len(rows), 'value')} of single slices: see --json, or the SQL view metrics"])
    if len(known) < len(sealed.metrics):
        print_lines([f"and {counted(len(sealed.metrics) - len(known), 'metric')} that this version does not compute yet"])


def _value(metric: MetricValue) -> str | None:
    if metric.value is not None:
        return number(metric.value)
    return None if metric.reason is None else REASONS[metric.reason]


def _interval(interval: Interval | None) -> str | None:
    return None if interval is None else f"{number(interval.lower)} to {number(interval.upper)} {interval.method}"


def _print_costs(sealed: Report) -> None:
    print_lines([""])
    print_table(
        ("cost ledger", "amount", "known", "n"),
        [
            (
                LEDGERS[row.ledger],
                _amount(row),
                None if row.known_pico_usd is None else usd(row.known_pico_usd),
                f"{row.n} of {row.planned_n}",
            )
            for row in sealed.costs
        ],
    )


def _amount(row: LedgerCost) -> str | None:
    if row.amount_pico_usd is not None:
        return usd(row.amount_pico_usd)
    return None if row.reason is None else f"incomplete: {REASONS[row.reason]}"


def _print_findings(sealed: Report) -> None:
    for row in sealed.findings:
        print_lines(["", f"finding {row.finding_id}"])
        print_lines([f"  seen   {row.observation}", f"  cause  {row.cause}", f"  next   {row.next_treatment}"])


def _write(target: Path, data: bytes) -> None:
    try:
        target.write_bytes(data)
    except OSError as error:
        raise InputError(
            f"The page cannot be written: {error.strerror}.",
            at=f"--html {target.name}",
            fix="name a file in a folder that exists and that you may write to",
        ) from None
    say(f"wrote {target}")

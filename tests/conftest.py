"""No test is skipped unseen: with EVALUATION_NO_SKIP=1 a skip fails, unless `allowed_skips.txt` has its reason as a line."""

import os
from collections.abc import Generator
from pathlib import Path

import pytest

_ALLOWED = frozenset(Path(__file__).with_name("allowed_skips.txt").read_text(encoding="utf-8").splitlines())


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    _fail_if_skipped(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """A module that skips itself takes all its tests along."""
    report = yield
    _fail_if_skipped(report)
    return report


def _fail_if_skipped(report: pytest.TestReport | pytest.CollectReport) -> None:
    # A skip carries (path, line, reason); an expected failure counts as skipped too, but did run.
    if os.environ.get("EVALUATION_NO_SKIP") != "1" or not report.skipped or not isinstance(report.longrepr, tuple):
        return
    reason = report.longrepr[2].removeprefix("Skipped: ")
    if reason not in _ALLOWED:
        report.outcome = "failed"
        report.longrepr = f"skipped under EVALUATION_NO_SKIP=1: {reason}"

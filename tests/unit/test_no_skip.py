"""The hook of conftest.py, run on small test files of its own."""

from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

HERE = Path(__file__).resolve().parents[1]
SKIPPED_TEST = "import pytest\ndef test_it(): pytest.skip({reason!r})"
SKIPPED_MARK = "import pytest\n@pytest.mark.skip(reason={reason!r})\ndef test_it(): pass"
SKIPPED_MODULE = "import pytest\npytest.skip({reason!r}, allow_module_level=True)"
EXPECTED_FAILURE = "import pytest\n@pytest.mark.xfail(reason={reason!r})\ndef test_it(): raise ValueError"


@pytest.mark.parametrize(
    ("source", "reason", "switch", "outcomes"),
    [
        pytest.param(SKIPPED_TEST, "no chromium", "1", {"failed": 1}, id="skipped inside the test"),
        pytest.param(SKIPPED_MARK, "no chromium", "1", {"errors": 1}, id="skipped by a mark"),
        pytest.param(SKIPPED_MODULE, "no chromium", "1", {"errors": 1}, id="the whole module skipped"),
        pytest.param(SKIPPED_TEST, "shared data absent", "1", {"skipped": 1}, id="reason on the list"),
        pytest.param(SKIPPED_MODULE, "shared data absent", "1", {"skipped": 1}, id="module with a reason on the list"),
        pytest.param(SKIPPED_TEST, "shared data absent today", "1", {"failed": 1}, id="reason that only begins like one on the list"),
        pytest.param(EXPECTED_FAILURE, "no chromium", "1", {"xfailed": 1}, id="an expected failure is not a skip"),
        pytest.param(SKIPPED_TEST, "no chromium", "0", {"skipped": 1}, id="switched off"),
    ],
)
def test_a_skip_counts_as(
    *, source: str, reason: str, switch: str, outcomes: dict[str, int], pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVALUATION_NO_SKIP", switch)
    pytester.makeconftest((HERE / "conftest.py").read_text(encoding="utf-8"))
    (pytester.path / "allowed_skips.txt").write_bytes((HERE / "allowed_skips.txt").read_bytes())
    pytester.makepyfile(source.format(reason=reason))
    pytester.runpytest_inprocess().assert_outcomes(**outcomes)

"""Where tests find public reference data that is too large or too foreign to be committed here."""

import os
from pathlib import Path

import pytest

SHARED = Path(os.environ.get("EVALUATION_REFERENCE_DIR") or Path(__file__).resolve().parents[2] / "shared" / "data")


def shared(*parts: str) -> Path:
    """The file or folder below the reference data; skips the test where it is absent."""
    path = SHARED.joinpath(*parts)
    if not path.exists():
        pytest.skip("shared data absent")
    return path

"""One sealed smoke run for all tests of the commands; who changes the store takes a copy."""

import shutil
from pathlib import Path

import pytest

from ledgers.index.build import refresh
from tests.plain_runs import new_store, sealed, smoke_request


@pytest.fixture(scope="session")
def sealed_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with one sealed run of all eight tracks and an index that is up to date. Read only."""
    store = new_store(tmp_path_factory.mktemp("commands"))
    sealed(store, smoke_request())
    refresh(store)
    return store.root


@pytest.fixture
def own_root(sealed_root: Path, tmp_path: Path) -> Path:
    """A copy of that store, to be damaged or written to."""
    shutil.copytree(sealed_root.parent, tmp_path / "own")
    return tmp_path / "own" / sealed_root.name

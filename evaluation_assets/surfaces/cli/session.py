"""What one call of the command line works with: the settings in force, the store at the root, and who acts.

Everything is looked up when a command first asks for it, so that `--help` reads no environment and loads no Arrow.
"""

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from contracts.errors import EvaluationError

if TYPE_CHECKING:
    from contracts.settings import Settings
    from evaluation_assets.targets.subjects import Subjects
    from ledgers.store.store import Store


class Session:
    """`named_root`: the option --root, None where it was left out."""

    def __init__(self, named_root: Path | None) -> None:
        self.named_root = named_root

    @cached_property
    def settings(self) -> "Settings":
        """Raises InputError: an environment variable has a wrong value."""
        from contracts.settings import load_settings

        return load_settings()

    @property
    def root(self) -> Path:
        return self.settings.root if self.named_root is None else self.named_root

    @cached_property
    def store(self) -> "Store":
        """The store that is there. StoreError: there is none."""
        from ledgers.store.store import Store

        return Store.open(self.root)

    def found_store(self) -> "Store":
        """The store, made if there is none: for commands that put something into it."""
        from ledgers.store.store import Store

        return Store.found(self.root)

    @contextmanager
    def founding(self) -> Iterator["Store"]:
        """As `found_store`; a store that was not there before is gone again when what it was made for is refused."""
        from ledgers.store.layout import discard_store

        is_new = not self.root.exists()
        store = self.found_store()
        try:
            yield store
        except EvaluationError:
            if is_new:
                discard_store(self.root.absolute())
            raise

    def principal(self) -> str:
        """Owner digest of whoever calls."""
        from ledgers.store.layout import local_principal

        return local_principal(self.root.absolute(), self.settings.principal)

    @property
    def subjects(self) -> "Subjects":
        """The targets that the settings name."""
        from evaluation_assets.targets.subjects import Subjects

        return Subjects(self.settings.router_config, self.settings.deployments_dir)

    def command(self, words: str) -> str:
        """A command that a person can type now to act on the same store."""
        root = "" if self.named_root is None else f" --root {shlex.quote(str(self.named_root))}"
        return f"evalplane{root} {words}"


def session_of(context: typer.Context) -> Session:
    session = context.find_object(Session)
    if session is None:
        raise LookupError("a command ran without the options before it")
    return session

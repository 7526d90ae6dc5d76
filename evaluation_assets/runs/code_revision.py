"""Which code made a run: a digest over the files of the installed package, so that a commit alone changes nothing."""

from functools import cache
from hashlib import sha256
from importlib import resources
from importlib.resources.abc import Traversable

from contracts.canonical import digest_of

_PACKAGES = ("contracts", "evaluation_assets", "golden", "ledgers")
_CODE = (".py", ".json", ".j2", ".css", ".js")


@cache
def code_revision() -> str:
    """`sha256:...` over relative path and content of every code and data file that ships. About 10 ms, once a process."""
    files: dict[str, str] = {}
    for package in _PACKAGES:
        _collect(resources.files(package), package, files)
    return digest_of("code-revision", files)


def _collect(folder: Traversable, path: str, files: dict[str, str]) -> None:
    for entry in folder.iterdir():
        inner = f"{path}/{entry.name}"
        if entry.is_dir():
            if entry.name not in ("__pycache__", "fixtures", "schemas"):
                _collect(entry, inner, files)
        elif entry.name.endswith(_CODE):
            files[inner] = sha256(entry.read_bytes()).hexdigest()

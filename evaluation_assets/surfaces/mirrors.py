"""Mirrors: files in the repository that are generated from something else. `make sync` writes them, `make check` compares bytes.

    golden/schemas/*.json     the documents (contracts/schemas.py)
    docs/cli.md               the commands
    docs/benchmarks.md        between its marks: the benchmark catalog
    docs/metrics.md           between its marks: the metric catalog
    docs/gates.md             between its marks: the gate policy

    <!-- generated: NAME -->
    written here, never by hand
    <!-- end generated -->

`python -m evaluation_assets.surfaces.mirrors [--check]`, in a checkout. Exit status 1: --check found files that are stale, and named them.
"""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from contracts.errors import EvaluationError, InputError
from contracts.schemas import DOCUMENTS, schema_files
from evaluation_assets.benchmarks import inventory
from evaluation_assets.reductions import catalog
from evaluation_assets.surfaces import gate_tables
from evaluation_assets.surfaces.cli.failures import error_text
from evaluation_assets.surfaces.cli.reference import cli_reference
from ledgers.audit.chain import AuditRecord
from ledgers.index.stamp import EvidenceIndex
from ledgers.store.layout import StoreLayout

CHECKOUT = Path(__file__).resolve().parents[2]
SCHEMAS = "golden/schemas"
LEDGER_DOCUMENTS = (AuditRecord, EvidenceIndex, StoreLayout)
SECTIONS: dict[str, tuple[str, Callable[[], str]]] = {
    "docs/benchmarks.md": ("benchmarks", inventory.markdown_table),
    "docs/metrics.md": ("metrics", catalog.markdown_table),
    "docs/gates.md": ("gates", gate_tables.markdown_tables),
}
END = "<!-- end generated -->\n"
STALE = 1


def mirrors(checkout: Path) -> dict[str, bytes]:
    """Path in the checkout -> the bytes that it must have. InputError: a page that holds a section is missing, or its marks are."""
    wanted = {f"{SCHEMAS}/{name}": data for name, data in schema_files((*DOCUMENTS, *LEDGER_DOCUMENTS)).items()}
    wanted["docs/cli.md"] = cli_reference().encode()
    for path, (name, generate) in SECTIONS.items():
        wanted[path] = with_section(checkout / path, name, generate())
    return wanted


def with_section(page: Path, name: str, section: str) -> bytes:
    """The page with what stands between the marks of `name` replaced."""
    begin = f"<!-- generated: {name} -->\n"
    text = page.read_text(encoding="utf-8") if page.is_file() else ""
    before, mark, rest = text.partition(begin)
    _, end, after = rest.partition(END)
    if not mark or not end or begin in after:
        raise InputError(
            "The page has no place for its generated section.",
            at=page.name,
            fix=f"write the lines `{begin.strip()}` and `{END.strip()}` where it belongs",
        )
    return f"{before}{begin}{section}{END}{after}".encode()


def stale(checkout: Path, wanted: dict[str, bytes]) -> list[str]:
    """Paths whose bytes are not the wanted ones, and schemas of documents that are gone; sorted."""
    differing = [path for path, data in wanted.items() if not (checkout / path).is_file() or (checkout / path).read_bytes() != data]
    left_over = [f"{SCHEMAS}/{path.name}" for path in (checkout / SCHEMAS).glob("*.json") if f"{SCHEMAS}/{path.name}" not in wanted]
    return sorted(differing + left_over)


def write(checkout: Path, wanted: dict[str, bytes], paths: Sequence[str]) -> None:
    for path in paths:
        if path in wanted:
            (checkout / path).parent.mkdir(parents=True, exist_ok=True)
            (checkout / path).write_bytes(wanted[path])
        else:
            (checkout / path).unlink()


def main(arguments: Sequence[str], checkout: Path = CHECKOUT) -> int:
    """0 done, or nothing to do; 1 --check found stale files; 2 wrong input."""
    try:
        if list(arguments) not in ([], ["--check"]):
            raise InputError("The only option is --check.", at="mirrors", fix="leave it out to write the files")
        if not (checkout / "docs").is_dir():
            raise InputError("The mirrors are part of a checkout, and this is none.", at=checkout.name, fix="run it in a checkout")
        wanted = mirrors(checkout)
        found = stale(checkout, wanted)
        if arguments:
            _say([*(f"stale: {path}" for path in found), *(["run `make sync` and commit what it wrote"] if found else [])])
            return STALE if found else 0
        write(checkout, wanted, found)
        _say([f"wrote {path}" for path in found])
    except EvaluationError as error:
        _say([error_text(error)])
        return error.exit_status
    return 0


def _say(lines: Sequence[str]) -> None:
    sys.stderr.writelines(f"{line}\n" for line in lines)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

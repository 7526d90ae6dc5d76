"""The repository as a whole keeps its own rules: what lies where, what is locked, what no file may name.

Floors of imports are import-linter's (`make floors`); this file holds what no linter says.
"""

import ast
import re
import subprocess
import sys
import tomllib
import warnings
from collections.abc import Iterator
from functools import cache
from importlib import metadata
from pathlib import Path

import pytest
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("contracts", "ledgers", "evaluation_assets")
FOLDERS = {*PACKAGES, "golden", "tests", "docs", ".ci"}
CODE = {"definitions.py", "workspace.yaml", "pyproject.toml", "Makefile", "requirements.lock", "requirements-dev.lock"}
TEXTS = {"README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "LICENSE", ".pre-commit-config.yaml", ".gitignore"}

LONG, TOO_LONG = 300, 400  # lines of a shipped module: above the first name the second idea, above the second it must move out

# A tool is used where it is called, not imported: the file and the words that call it.
CALLED = {
    "hatchling": ("pyproject.toml", "hatchling.build"),
    "editables": ("Makefile", "--no-build-isolation --editable"),
    "pytest-xdist": ("Makefile", "-n 2 --dist loadscope"),
    "ruff": ("Makefile", "ruff check"),
    "mypy": ("Makefile", "/mypy"),
    "import-linter": ("Makefile", "lint-imports"),
    "types-pyyaml": ("pyproject.toml", "strict = true"),
}

# Written so that these patterns do not find themselves.
MACHINE_PATH = re.compile(r"(?<![\w<>.$(){}\[\]*~/-])/(?:home|root|work|opt|mnt|tmp|Users)/[\w.]")
REGISTRY_HOST = re.compile(r"\b(?:pypi\.(?:org|python\.org)|pythonhosted\.org|registry\.npmjs\.org|(?:deb|security)\.debian\.org)\b")
UNFINISHED = re.compile(r"NotImplemented[E]rror|\b(?:TO[D]O|FIX[M]E|XX[X])\b|assert [T]rue\b|time\.[s]leep\(")
OUTSIDE = re.compile(r"\.\./shared\b")
MAKE_CALL = re.compile(r"(?:`|\$ |^ {4})make ((?:[a-z][a-z-]* ?)+)|^make ((?:[a-z][a-z-]* ?){1,2})$", re.MULTILINE)


@cache
def tracked() -> tuple[Path, ...]:
    """Every file that is in the repository, or would be with the next `git add`; relative to its root."""
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True
    ).stdout
    return tuple(path for name in sorted(set(listing.decode().split("\0")) - {""}) if (ROOT / (path := Path(name))).is_file())


def texts() -> Iterator[tuple[Path, str]]:
    for path in tracked():
        try:
            yield path, (ROOT / path).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue


def python_files(*folders: str) -> Iterator[Path]:
    return (path for path in tracked() if path.suffix == ".py" and (not folders or path.parts[0] in folders))


def tree(path: Path) -> ast.Module:
    return ast.parse((ROOT / path).read_bytes(), filename=str(path))


def imported_modules(path: Path) -> Iterator[str]:
    """Dotted names, also of imports inside functions."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@cache
def project() -> dict[str, object]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def declared(*extras: str) -> list[Requirement]:
    lines = [*project()["dependencies"], *(line for extra in extras for line in project()["optional-dependencies"][extra])]
    return [Requirement(line) for line in lines]


def locked(name: str) -> dict[str, list[Requirement]]:
    """Pins of a lock file by canonical name; several when the pin depends on the Python version."""
    pins: dict[str, list[Requirement]] = {}
    for line in (ROOT / name).read_text(encoding="utf-8").splitlines():
        if line and not line.startswith((" ", "#")):
            pin = Requirement(line.removesuffix("\\").strip())
            pins.setdefault(canonicalize_name(pin.name), []).append(pin)
    return pins


def test_top_level_holds_what_the_house_map_names() -> None:
    """The index alone counts: what a person's own commands left in a checkout is no file of the project."""
    allowed = FOLDERS | CODE | TEXTS
    tracked()
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True).stdout.decode()
    assert {name.split("/")[0] for name in listing.split("\0") if name} == allowed


def test_no_file_names_a_machine_or_a_registry() -> None:
    found = [
        f"{path}:{text.count(chr(10), 0, hit.start()) + 1} {hit.group()}"
        for path, text in texts()
        for pattern in (MACHINE_PATH, REGISTRY_HOST)
        for hit in pattern.finditer(text)
    ]
    assert found == []


@pytest.mark.parametrize(
    ("line", "refused"),
    [
        pytest.param("see /" + "home/ada/plane/run.json", True, id="a home directory"),
        pytest.param('root = "/' + 'opt/store"', True, id="a path in quotes"),
        pytest.param("--index https://" + "pypi" + ".org/simple", True, id="a registry"),
        pytest.param("<root>/runs/<run-id>/", False, id="a path in the store"),
        pytest.param("https://example.org/home/page", False, id="a path of a web page"),
        pytest.param("/usr/bin/chromium", False, id="where Debian puts things"),
    ],
)
def test_patterns_find_what_they_must(line: str, refused: bool) -> None:
    assert bool(MACHINE_PATH.search(line) or REGISTRY_HOST.search(line)) is refused


def test_data_outside_the_repository_has_one_door() -> None:
    assert {str(path) for path, text in texts() if OUTSIDE.search(text)} <= {"tests/shared_data.py"}


def test_packages_hold_a_docstring_and_nothing_else_in_their_init() -> None:
    """The sandboxed worker imports parents before it is confined: they may start nothing."""
    for path in python_files():
        if path.name == "__init__.py":
            module = tree(path)
            assert ast.get_docstring(module), f"{path} has no docstring"
            assert len(module.body) == 1, f"{path} has code"


def test_every_folder_with_modules_is_a_package() -> None:
    """Without it a test folder called like a package of ours would shadow that package."""
    folders = {parent for path in python_files(*PACKAGES, "tests") for parent in path.parents if parent.parts}
    assert [str(folder) for folder in sorted(folders) if not (ROOT / folder / "__init__.py").is_file()] == []


def test_every_module_says_its_idea_first() -> None:
    paths = [path for path in python_files(*PACKAGES, "tests", "definitions.py") if not ast.get_docstring(tree(path))]
    assert [str(path) for path in paths] == []


def test_annotations_are_objects_where_dagster_reads_them() -> None:
    files = python_files("evaluation_assets", "definitions.py")
    assert [str(path) for path in files if "__future__.annotations" in set(imported_modules(path))] == []


def test_private_dagster_is_touched_by_one_file() -> None:
    """import-linter sees `dagster` as one module, so the underscore is looked for here."""
    private = re.compile(r"dagster\w*\.(?:\w+\.)*_")
    found = {str(path) for path in python_files(*PACKAGES) for name in imported_modules(path) if private.match(name)}
    assert found <= {"evaluation_assets/surfaces/dagster_mount.py"}


def test_nothing_is_left_unfinished() -> None:
    """Stubs, notes to oneself, checks that cannot fail, and sleeps where an event would do."""
    found = [f"{path} {hit.group()}" for path, text in texts() if path.suffix == ".py" for hit in UNFINISHED.finditer(text)]
    assert found == []


def test_modules_stay_short() -> None:
    lengths = {str(path): len((ROOT / path).read_bytes().splitlines()) for path in python_files(*PACKAGES)}
    for path, lines in lengths.items():
        if LONG < lines <= TOO_LONG:
            warnings.warn(f"{path} has {lines} lines: name its second idea and move it out", stacklevel=1)
    assert {path: lines for path, lines in lengths.items() if lines > TOO_LONG} == {}


def test_every_dependency_says_what_it_is_for() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    for requirement in declared("build", "dev"):
        lines = [line for line in text.splitlines() if re.match(rf'\s*"{requirement.name}[<>=]', line)]
        assert lines, f"{requirement.name} has no line of its own"
        assert all(re.search(r'",\s+# \S', line) for line in lines), f"{requirement.name} has no comment"


@pytest.mark.parametrize(
    ("extras", "folders"),
    [pytest.param((), (*PACKAGES, "definitions.py"), id="shipped"), pytest.param(("build", "dev"), (), id="development")],
)
def test_every_dependency_is_used(extras: tuple[str, ...], folders: tuple[str, ...]) -> None:
    """A dependency of the product is imported by the product; one of development by anything, or it is called by name."""
    modules = {name.partition(".")[0] for path in python_files(*folders) for name in imported_modules(path)}
    used = {canonicalize_name(name) for module, names in metadata.packages_distributions().items() if module in modules for name in names}
    used |= {name for name, (path, words) in CALLED.items() if words in (ROOT / path).read_text(encoding="utf-8")}
    assert {canonicalize_name(requirement.name) for requirement in declared(*extras)} - used == set()


@pytest.mark.parametrize(("name", "extras"), [("requirements.lock", ("build",)), ("requirements-dev.lock", ("build", "dev"))])
def test_locks_pin_what_the_project_asks_for(name: str, extras: tuple[str, ...]) -> None:
    pins = locked(name)
    for requirement in declared(*extras):
        versions = [next(iter(pin.specifier)).version for pin in pins[canonicalize_name(requirement.name)]]
        assert all(requirement.specifier.contains(version) for version in versions), f"{requirement}: {name} has {versions}"


@pytest.mark.parametrize("name", ["requirements.lock", "requirements-dev.lock"])
def test_locks_install_by_hash_from_wherever_pip_is_told(name: str) -> None:
    entries = re.split(r"\n(?=[A-Za-z0-9])", (ROOT / name).read_text(encoding="utf-8"))[1:]
    assert len(entries) > len(declared())
    for entry in entries:
        assert re.match(r"[\w.-]+(?:\[[\w,-]+\])?==[\w.+!]+ ", entry), entry.splitlines()[0]
        assert "--hash=sha256:" in entry, entry.splitlines()[0]
    assert not re.search(r"://|^-", (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE)


def test_both_locks_agree() -> None:
    runtime, development = locked("requirements.lock"), locked("requirements-dev.lock")
    assert {name: [str(pin) for pin in pins] for name, pins in runtime.items()} == {
        name: [str(pin) for pin in development[name]] for name in runtime
    }


def test_this_environment_has_the_locked_dagster() -> None:
    """Partition and check behaviour is measured per version, so tests that ran on another one prove nothing."""
    pin = next(pin for pin in locked("requirements.lock")["dagster"] if pin.marker is None or pin.marker.evaluate(default_environment()))
    assert pin.specifier.contains(metadata.version("dagster"))
    assert sys.version_info >= (3, 11)


def test_documents_name_targets_that_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z][a-z-]*):", makefile, re.MULTILINE))
    phony = set(re.search(r"^\.PHONY: (.+)$", makefile, re.MULTILINE)[1].split())
    documented = set(re.findall(r"^([a-z][a-z-]*):.*## \S", makefile, re.MULTILINE))
    assert targets == phony == documented
    documents = [(str(path), text) for path, text in texts() if path.suffix == ".md" or path.parts[0] == ".ci"]
    named = {(path, word) for path, text in documents for words in MAKE_CALL.findall(text) for word in " ".join(words).split()}
    assert "README.md" in {path for path, _ in named}
    assert {(path, word) for path, word in named if word not in targets} == set()

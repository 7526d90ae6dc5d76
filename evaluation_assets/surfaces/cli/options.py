"""Options and arguments that several commands have, each written once."""

from pathlib import Path
from typing import Annotated

import typer

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
RunArgument = Annotated[str, typer.Argument(metavar="RUN", help="`latest`, a run id, or the beginning of one.")]
ExportRoot = Annotated[Path, typer.Option("--export-root", metavar="DIR", help="Folder that holds the files of the native export.")]

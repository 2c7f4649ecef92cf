"""The options that every command takes, declared once."""

from pathlib import Path
from typing import Annotated

import typer

Project = Annotated[Path, typer.Option("-C", metavar="DIR", help="The project's folder (where release.json is)")]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON document on stdout, with a schema version")]
Offline = Annotated[bool, typer.Option("--offline", help="Use what is cached and fetch nothing")]
Fresh = Annotated[bool, typer.Option("--fresh", help="Ignore evidence: build and measure again")]
Where = Annotated[
    str | None, typer.Option("--executor", metavar="tcp://HOST:PORT", help="Build on a Dask cluster (extra `cluster`)")
]

HERE = Path()
Key = Annotated[
    Path | None,
    typer.Option("--key", metavar="FILE", help="Sign with this ssh or ed25519 key (default: nothing is signed)"),
]
Parent = Annotated[
    Path | None,
    typer.Option("--parent", metavar="DIR", help="The parent's bundle, for the notes (default: beside the new one)"),
]

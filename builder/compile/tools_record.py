"""What each toolchain that built something was made of, so that an exchanged part can be named later.

A key has one digest for all tools. Beside the builds, `<cache>/toolchains/<digest>.json` says what is behind it.
"""

import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from builder.compile.toolchain import Toolchain


def tool_parts(toolchain: Toolchain) -> dict[str, str]:
    """Each part by name: what compilers say of themselves, and the digests of all that stands behind them."""
    found = {"cmake": toolchain.cmake_version}
    for compiler in (toolchain.c, toolchain.cxx):
        name = compiler.language
        found |= {f"{name} version": compiler.version, f"{name} target": compiler.target}
        found |= {f"{name} arguments": " ".join(compiler.command[1:])} if compiler.command[1:] else {}
        found |= {f"{name} {part}": str(digest) for part, digest in compiler.parts}
    return found


def record_tools(cache: Path, toolchain: Toolchain) -> None:
    """Keep what the toolchain is made of, once."""
    path = cache / "toolchains" / f"{toolchain.digest}.json"
    if path.exists():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=".new-", dir=path.parent)
    with os.fdopen(handle, "w") as file:
        json.dump(tool_parts(toolchain), file, sort_keys=True, indent=1)
    Path(name).replace(path)


def recorded_tools(cache: Path) -> Mapping[str, Mapping[str, str]]:
    """Every recorded toolchain by its digest; what cannot be read is left out."""
    found: dict[str, Mapping[str, str]] = {}
    for path in sorted((cache / "toolchains").glob("[0-9a-f]*.json")):
        try:
            parts = json.loads(path.read_bytes())
        except (OSError, ValueError):
            continue
        if isinstance(parts, dict):
            found[path.stem] = {str(name): str(value) for name, value in parts.items()}
    return found

"""Blocks with planted faults, on the mini engine's library: each is wrong in one way."""

from collections.abc import Mapping

from tests.mini_engine.blocks import MiniBlock, MiniFold, Replacement

MODEL, VOCAB, HEADER = "src/model.c", "src/vocab.c", "include/mini.h"

CONFIGURATION: Mapping[str, object] = {
    "build_type": "Release",
    "options": {"CMAKE_C_FLAGS_RELEASE": "-O0 -Werror=implicit-function-declaration", "GGML_NATIVE": "OFF"},
    "targets": ["mini"],
    "proofs": ["alone"],
}


def planted(name: str, *changes: Replacement, requires: tuple[str, ...] = ()) -> MiniBlock:
    """A block of one fold."""
    fold = MiniFold(id=name, subject=f"Add {name}", changes=changes)
    return MiniBlock(
        name=name, title=name, switch=None, folds=(fold,), owns=("src/**", "include/**"), requires=requires
    )


BRINGS = planted(
    "brings",
    (HEADER, "int mini_byte(int token);\n", "int mini_byte(int token);\n\nint mini_brought(int token);\n"),
    (VOCAB, '#include "mini.h"\n', '#include "mini.h"\n\nint mini_brought(int token) {\n    return token + 1;\n}\n'),
)
USE: Replacement = (MODEL, "    fclose(file);\n    return 0;\n", "    fclose(file);\n    return mini_brought(-1);\n")
USES = planted("uses", USE)
USES_AND_SAYS = planted("uses", USE, requires=("brings",))
NEEDLESS = planted("needless", (MODEL, "    return -0.5 - 0.75", "    return -0.25 - 0.75"), requires=("brings",))
BESIDE = planted("beside", (VOCAB, "    return token + 1;\n", "    return token + 2;\n"))
WARNS = planted(
    "warns",
    (MODEL, "    return -0.5 - 0.75", "    int unread;\n    return -0.5 - 0.75"),
)

"""The mini project's two blocks, as replacements of text in the engine's sources: values only.

They do in small what the real blocks do: `prefill-rotation` (two folds) changes the order in which slots are read,
`checkpoint-keep` what becomes of a restored checkpoint. `project.py` makes their patches.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

SERVER = "server/scheduler.cpp"
HEADER = "server/scheduler.h"
ROTATION = "MINI_PREFILL_ROTATION"
KEEP = "MINI_CHECKPOINT_KEEP"

Replacement = tuple[str, str, str]
"""A file, the text that stands there exactly once (empty: the file is new), and what takes its place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MiniFold:
    """One fold: its message and its replacements."""

    id: str
    subject: str
    changes: tuple[Replacement, ...]
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MiniBlock:
    """One block as it will be declared: its switch and what that is about, its folds; `gates` as in block.yaml."""

    name: str
    title: str
    switch: tuple[str, str] | None
    folds: tuple[MiniFold, ...]
    owns: tuple[str, ...] = ("server/**",)
    requires: tuple[str, ...] = ()
    gates: Mapping[str, object] = field(default_factory=dict)


ROTATE = MiniFold(
    id="rotate",
    subject="Rotate the slot that is read first",
    changes=(
        (HEADER, "next_task_ = 0;\n", "next_task_ = 0;\n    size_t                            first_ = 0;\n"),
        (SERVER, "#include <cstdio>\n", "#include <cstdio>\n#include <cstdlib>\n#include <cstring>\n"),
        (
            SERVER,
            "static double now_ms() {\n",
            """\
static bool is_on(const char * name) {
    const char * value = getenv(name);
    return value == nullptr || strcmp(value, "0") != 0;
}

static double now_ms() {
""",
        ),
        (
            SERVER,
            "    const size_t room = (size_t) settings_.batch;\n",
            """\
    const size_t room   = (size_t) settings_.batch;
    const bool   rotate = is_on("MINI_PREFILL_ROTATION");
    const size_t first  = rotate ? first_ : 0;
""",
        ),
        (SERVER, "Slot & slot = slots_[i];\n", "Slot & slot = slots_[(first + i) % slots_.size()];\n"),
        (
            SERVER,
            """\
                save_checkpoint(slot);
            }
        }
""",
            """\
                save_checkpoint(slot);
            }
        }
        first_ = (size_t) (slot.id + 1) % slots_.size();
""",
        ),
    ),
)
KEEP_ORDER = MiniFold(
    id="unified",
    subject="Keep the order of slots with a unified KV cache, and tell of the rotation",
    reason="the order of cells would change with the order of slots",
    changes=(
        (SERVER, 'is_on("MINI_PREFILL_ROTATION");\n', 'is_on("MINI_PREFILL_ROTATION") && !settings_.unified;\n'),
        (
            SERVER,
            "    const size_t first  = rotate ? first_ : 0;\n",
            """\
    const size_t first  = rotate ? first_ : 0;
    if (first != 0) {
        log_line("prefill rotation: slot %zu is read first", first);
    }
""",
        ),
    ),
)
KEEP_CHECKPOINT = MiniFold(
    id="keep",
    subject="Keep a restored checkpoint instead of saving it again",
    changes=(
        (
            SERVER,
            "    const size_t position = slot.tokens.size();\n",
            """\
    const size_t position = slot.tokens.size();
    const bool   restored = slot.restored == position && !slot.checkpoints.empty();
    if (restored && is_on("MINI_CHECKPOINT_KEEP")) {
        log_line("slot %d: keeping context checkpoint (pos = %zu)", slot.id, position);
        return;
    }
""",
        ),
    ),
)
BLOCKS = (
    MiniBlock(
        name="prefill-rotation",
        title="A short prompt need not wait for a long one",
        switch=(ROTATION, "the slot that is read first"),
        folds=(ROTATE, KEEP_ORDER),
        gates={
            "rotation-fair": {
                "kind": "warm-behind-cold",
                "switch": ROTATION,
                "model": "plain",
                "configuration": "release",
                "seen": "prefill rotation: slot",
                # twelve batches of some ten milliseconds: longer than anything around them
                "cold_tokens": 1536,
                "history_tokens": 32,
                "warm_tokens": 32,
                "generate": 8,
                "batch": 128,
                "rounds": 3,
                "rounds_max": 3,
                "cold_ratio_max": 1.5,
                "upstream_ratio_max": 1.5,
            },
        },
    ),
    MiniBlock(
        name="checkpoint-keep",
        title="A checkpoint that was just restored is not saved again",
        switch=(KEEP, "what becomes of a restored checkpoint"),
        folds=(KEEP_CHECKPOINT,),
        requires=("prefill-rotation",),
        gates={
            "checkpoint-kept": {
                "kind": "checkpoint-resume",
                "switch": KEEP,
                "model": "recurrent",
                "configuration": "release",
                "kept": "keeping context checkpoint",
                "superseded": "superseding context checkpoint",
                "prompt_tokens": 256,
                "generate": 8,
                "timed": False,
            },
        },
    ),
)

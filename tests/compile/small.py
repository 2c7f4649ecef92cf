"""A project of a few lines for build tests that need no server: it configures and builds in half a second."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from builder.compile.build import Built, build
from builder.compile.toolchain import Toolchain
from builder.tree import ObjectSource
from tests.core.memory import tree_in_memory
from verify.model.evidence import BuildNeed
from verify.model.ids import ConfigName, RepoPath, TreeId
from verify.model.patch import Mode
from verify.model.progress import Silent
from verify.model.release import Configuration, Proof

CMAKE = """\
cmake_minimum_required(VERSION 3.16)
project(small C)
add_compile_options(-Wall)
add_library(small SHARED src/small.c)
set_target_properties(small PROPERTIES VERSION 1.2.3 SOVERSION 1)
add_executable(tool src/main.c)
target_link_libraries(tool PRIVATE small)
"""
SMALL = "const char * small(void) { return __FILE__; }\n"
MAIN = "#include <stdio.h>\nconst char * small(void);\nint main(void) { puts(small()); return 0; }\n"
FILES: Mapping[str, str] = {"CMakeLists.txt": CMAKE, "src/small.c": SMALL, "src/main.c": MAIN}
CONFIGURATION = Configuration(
    name=ConfigName("release"),
    build_type="Release",
    options=(("GGML_NATIVE", "OFF"),),
    targets=("small", "tool"),
    proofs=(Proof.PREFIX,),
)


def small_tree(changes: Mapping[str, str] | None = None) -> tuple[TreeId, ObjectSource]:
    """The project with some files changed or added."""
    files = {**FILES, **(changes or {})}
    tree, source = tree_in_memory({RepoPath(path.encode()): (Mode.FILE, text.encode()) for path, text in files.items()})
    return tree.id, source


def build_small(
    cache: Path,
    toolchain: Toolchain,
    changes: Mapping[str, str] | None = None,
    *,
    configuration: Configuration = CONFIGURATION,
    fresh: bool = False,
    cold: bool = False,
    progress: Silent | None = None,
    seconds: float = 60.0,
) -> Built:
    """Build the project, changed, in a cache."""
    tree, source = small_tree(changes)
    return build(
        need=BuildNeed(tree=tree, configuration=configuration.name),
        configuration=configuration,
        toolchain=toolchain,
        source=source,
        cache=cache,
        progress=progress or Silent(),
        fresh=fresh,
        cold=cold,
        jobs=2,
        seconds=seconds,
    )


class Heard(Silent):
    """A progress that remembers what it was told."""

    def __init__(self) -> None:
        self.stages: list[str] = []
        self.details: list[str] = []
        self.outcomes: list[str] = []

    @contextmanager
    def stage(self, what: str) -> Iterator["Heard"]:
        self.stages.append(what)
        yield self

    def tell(self, detail: str) -> None:
        self.details.append(detail)

    def outcome(self, text: str) -> None:
        self.outcomes.append(text)

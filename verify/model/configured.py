"""What a build was configured with, as its own tools wrote it down: options and tests.

Paths are the lane's: `{bin}`, `{build}`, `{source}` and `{lane}` above them stand for its folders, so that the same
tree says the same everywhere.
"""

from dataclasses import dataclass

BIN, BUILD, SOURCE, LANE = "{bin}", "{build}", "{source}", "{lane}"


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredTest:
    """One test as CTest knows it: its command, and its properties as text (lists in CMake's own form)."""

    name: str
    command: tuple[str, ...]
    labels: tuple[str, ...]
    properties: tuple[tuple[str, str], ...]

    def needs_source(self) -> bool:
        """Whether it reads files of the source tree, which a kept build does not have."""
        return any(SOURCE in text for text in (*self.command, *(value for _, value in self.properties)))

    def program(self) -> str:
        """The built program that it runs, empty where it runs none."""
        first = self.command[0] if self.command else ""
        return first.removeprefix(f"{BIN}/") if first.startswith(f"{BIN}/") else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Configured:
    """The options in CMake's cache that are not its own business, and every test, both by name."""

    options: tuple[tuple[str, str], ...]
    tests: tuple[DeclaredTest, ...]

"""The captured output of real programs, by name."""

from pathlib import Path

FOLDER = Path(__file__).with_name("captured")


def captured(name: str) -> str:
    """One of the captured files."""
    return (FOLDER / name).read_text("utf-8")

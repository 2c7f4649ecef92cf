"""The style sheet: every text colour on every ground reads well, light, dark and on paper."""

import re
from importlib import resources

import pytest

CSS = resources.files("builder.report").joinpath("templates/style.css").read_text("utf-8")
TEXTS = ("text", "quiet", "link", "good", "bad", "open")
GROUNDS = ("ground", "raised")


def schemes() -> list[dict[str, str]]:
    """The colours of each scheme, in the order of the sheet."""
    found = re.findall(r":root \{(.*?)\}", CSS, flags=re.DOTALL)
    return [dict(re.findall(r"--(\w+): (#[0-9a-f]{3,6})", each)) for each in found]


def luminance(colour: str) -> float:
    digits = colour[1:] if len(colour) == 7 else "".join(2 * each for each in colour[1:])
    parts = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", [0, 1, 2], ids=["light", "dark", "paper"])
def test_text_has_a_contrast_of_four_and_a_half_and_marks_of_three(scheme: int) -> None:
    colours = schemes()[scheme]
    for ground in GROUNDS:
        weak = {text: contrast(colours[text], colours[ground]) for text in TEXTS}
        assert {text: round(value, 2) for text, value in weak.items() if value < 4.5} == {}
        assert contrast(colours["mark"], colours[ground]) >= 3
    assert contrast(colours["mark"], colours["beyond"]) >= 3


def test_there_is_a_sheet_for_light_dark_and_paper() -> None:
    assert len(schemes()) == 3
    assert "prefers-color-scheme: dark" in CSS
    assert "@media print" in CSS

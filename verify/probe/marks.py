"""Counts marks in the lines of a log."""

import re
from collections.abc import Sequence

from verify.model.observation import MarkCount
from verify.model.session import Mark


def count_marks(marks: Sequence[Mark], lines: Sequence[str], number: int) -> list[MarkCount]:
    """How many lines each mark's pattern is found in; `number` is the round, or the server, whose log it is."""
    return [
        MarkCount(name=mark.name, round=number, count=sum(1 for line in lines if re.search(mark.pattern, line)))
        for mark in marks
    ]

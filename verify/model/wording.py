"""Numbers in sentences: `1 fold`, `3 folds`, `2 switches`."""


def count(number: int, what: str) -> str:
    """The number with its noun; `what` is singular."""
    if number == 1:
        return f"1 {what}"
    if what.endswith("y"):
        return f"{number} {what[:-1]}ies"
    return f"{number} {what}es" if what.endswith(("s", "ch", "sh", "x")) else f"{number} {what}s"

"""What each code of gates and the judge means."""

EXPLANATIONS: dict[str, str] = {}

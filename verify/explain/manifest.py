"""What each code of the declared files means."""

EXPLANATIONS: dict[str, str] = {}

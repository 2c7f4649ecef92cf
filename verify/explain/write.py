"""What each code of writing files means."""

EXPLANATIONS: dict[str, str] = {}

"""What each code of a command's run means."""

EXPLANATIONS: dict[str, str] = {}

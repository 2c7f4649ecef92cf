"""What each code of running a built engine means."""

EXPLANATIONS: dict[str, str] = {}

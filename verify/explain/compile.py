"""What each code of toolchains and builds means."""

EXPLANATIONS: dict[str, str] = {}

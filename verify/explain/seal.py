"""What each code of packing a release means."""

EXPLANATIONS: dict[str, str] = {}

"""What each code about source texts, reviews and claims means."""

EXPLANATIONS: dict[str, str] = {
    "grammar-missing": (
        "Claims and reviews are checked on syntax trees, and the grammar of that language is not installed. The "
        "grammars are small packages in requirements/run.txt. Nothing is concluded without one: what would have been "
        "read with it is undecided."
    ),
}

"""What each code about source texts, reviews and claims means."""

EXPLANATIONS: dict[str, str] = {
    "grammar-missing": (
        "Claims and reviews are checked on syntax trees, and the grammar of that language is not installed. The "
        "grammars are small packages in requirements/run.txt. Nothing is concluded without one: what would have been "
        "read with it is undecided."
    ),
    "claim-fails": (
        "A claim of block.yaml is a statement about the engine's source on which a review rests, run again on the tip "
        "of the stack. It does not hold there: the notes say why, with the places. Either the code has changed under "
        "the block, and the fold needs work or another look, or the claim was written too narrowly."
    ),
    "claim-undecided": (
        "The grammar could not read the span that the claim is about, or the function's name or an anchor fits several "
        "places. Nothing is concluded from that. Give the function its class (`server::update`), lengthen the anchor "
        "until it stands in one place, or state the claim of a part that can be read."
    ),
    "claims-not-run": (
        "The gate looks at how the claims came out on the tip, and nobody ran them. `check` and `gate` do so by "
        "themselves; a program that makes its own case must give `claims`."
    ),
}

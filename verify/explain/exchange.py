"""What each code of import and export means."""

EXPLANATIONS: dict[str, str] = {
    "hunk-conflict": (
        "A hunk of the submission does not fit the file: its lines stand nowhere that its dialect allows, or the file "
        "changed at the same place since the patch was made. No context is ever dropped to make it fit. Nothing of the "
        "submission was taken; bring the patch up to date and import it again."
    ),
    "hunk-ambiguous": (
        "Equal lines around the place leave open where the hunk belongs, so that it was not placed at all. A tool that "
        "takes the nearest place can put it into the wrong function without a word. Make the patch again on the file as "
        "it is now, or with more context."
    ),
    "hunk-already-there": (
        "The file holds what the hunk would make of it. It was not applied a second time, and not taken away either. If "
        "upstream has taken the whole patch, drop it from the series; if only a part, take that part out."
    ),
}

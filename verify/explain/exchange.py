"""What each code of import and export means."""

EXPLANATIONS: dict[str, str] = {
    "hunk-conflict": (
        "A hunk of the submission does not fit the file: its lines stand nowhere that its dialect allows, or the file "
        "changed at the same place since the patch was made. No context is ever dropped to make it fit. Nothing of the "
        "submission was taken; bring the patch up to date and import it again."
    ),
    "hunk-ambiguous": (
        "Equal lines around the place leave open where the hunk belongs, so that it was not placed at all. A tool that "
        "takes the nearest place can put it into the wrong function without a word. Make the patch again on the file "
        "as it is now, or with more context."
    ),
    "hunk-already-there": (
        "The file holds what the hunk would make of it. It was not applied a second time, and not taken away either. "
        "If upstream has taken the whole patch, drop it from the series; if only a part, take that part out."
    ),
    "hunk-not-exact": (
        "With --strict an import takes only hunks that stand at the very line they state, alone. This one was found "
        "elsewhere by the rule of its dialect, which goes one way and cannot be checked against a recorded file. Look "
        "at the place; without --strict it is taken, told, and exact from then on."
    ),
    "folder-changed": (
        "A file of the base folder was not the same when it was read again. The tree would then be of no one moment. "
        "Run the import again when nothing else writes there."
    ),
    "project-exists": (
        "The output folder holds a project already, and an import never writes over one, since its folds may have been "
        "changed by hand or reviewed. Name another folder."
    ),
    "series-missing": (
        "The series file, which lists the patches in order, cannot be read. Name it with --series; in a Debian source "
        "tree it is debian/patches/series."
    ),
    "series-patch-missing": (
        "The series lists a patch whose file cannot be read. Without it every later patch would meet other files, so "
        "nothing was imported."
    ),
    "series-option": (
        "A line of the series has an option that is not known (known are -pN, -pab and -R). It may change what the "
        "patch means, so it is not skipped."
    ),
    "series-path": (
        "A series may only name patches below its own folder. This one leads out of it and was not opened."
    ),
    "map-missing": "The file that says which block each patch goes into cannot be read.",
    "map-wrong": (
        "The map must be a JSON object from block names to lists of patch names: every patch of the series once, and "
        "the patches of a block side by side, since blocks are applied one after the other."
    ),
}

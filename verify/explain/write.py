"""What each code of writing files means."""

EXPLANATIONS: dict[str, str] = {
    "no-space": (
        "The disk, or the user's share of it, is full. Files are written beside the old ones and take their place only "
        "when all of them are whole, so nothing is half-written and nothing old is lost. Make room (`downloads` and "
        "`builds` in the cache can be removed at any time), then run the same command again."
    ),
    "cannot-write": (
        "The system refuses to write there: the file or its folder belongs to someone else, the disk is mounted "
        "read-only, or a link or folder stands where a plain file should be. What had been begun is undone. Put the "
        "permissions or the path right, then run the same command again."
    ),
    "journal-edited": (
        "A run was killed while it wrote several files, and before it could be finished somebody changed one of them. "
        "The file holds neither what stood there before nor what the run was to write, so finishing would lose that "
        "change and nothing was written. Move the file aside as shown: the next command then finishes or undoes the "
        "run, and your change can be put back on top of it."
    ),
    "journal-broken": (
        "A run that is killed while it writes several files leaves a journal in `.stackproof`, which the next run "
        "finishes. This one is not as stackproof writes it: it may have come with the project from somewhere else. "
        "Nothing of it was carried out. Look at the files in it, then remove the folder."
    ),
}

"""What each code of writing files means."""

EXPLANATIONS: dict[str, str] = {
    "cannot-write": (
        "The system refuses to write there: the file or its folder belongs to someone else, the disk is mounted "
        "read-only, or a link or folder stands where a plain file should be. What had been begun is undone. Put the "
        "permissions or the path right, then run the same command again."
    ),
    "journal-broken": (
        "A run that is killed while it writes several files leaves a journal in `.stackproof`, which the next run "
        "finishes. This one is not as stackproof writes it: it may have come with the project from somewhere else. "
        "Nothing of it was carried out. Look at the files in it, then remove the folder."
    ),
}

"""What each code of a command's run means."""

EXPLANATIONS: dict[str, str] = {
    "tag-other": (
        "A release goes out under its own name, so the tag that starts it must be the name in release.json, letter for "
        "letter. Nothing was built or published. Move the tag, or name the release in release.json and pin it."
    ),
    "ci-stale": (
        "The workflow in the project is not what `stackproof ci` would write now: a configuration came, went or has "
        "other proofs, or the file was changed by hand. Write it again, and keep own jobs in a file of their own."
    ),
    "ci-unknown": "Workflows are written for GitHub Actions and for GitLab CI.",
    "unknown-code": (
        "Every diagnostic carries a code in brackets, as in error[patch-missing], and `stackproof explain CODE` tells "
        "what it means. There is no such code; codes near to it are named."
    ),
    "not-a-bin-folder": (
        "`stackproof try` runs programs from the folder `bin` of a build, with the libraries that lie beside them. The "
        "folder that was named is none."
    ),
    "gate-not-triable": (
        "`stackproof try` runs programs and nothing else. A gate that is decided by trees, builds or interfaces needs "
        "a stack; run it with `stackproof gate`."
    ),
    "try-switch": "A switch is given to `stackproof try` as NAME=OFF: the variable and the value that turns it off.",
    "only-tried": "Programs were tried by themselves, so there is no stack whose trees could be looked at.",
    "unknown-gate": (
        "No gate of the release or of its blocks has that name. `stackproof gate --list` shows all of them with their "
        "kinds."
    ),
    "interrupted": (
        "The command was stopped from outside (Ctrl-C, or a signal). Steps that were finished are kept and not done "
        "again; the one that was running left nothing behind. Run the same command again to go on."
    ),
    "cache-not-a-folder": (
        "STACKPROOF_CACHE, or the user's cache folder, leads to something that is no folder, so nothing can be kept "
        "there. Name a folder; it is made when it is missing."
    ),
    "cache-path-special": (
        "The engine is built inside the cache, and shells, CMake and Ninja read quotes, dollars, colons, semicolons, "
        "backslashes and unprintable characters in a path as something else. Each build would fail for no fault of "
        "upstream or a block, so the cache is refused before anything is made. Spaces are fine."
    ),
    "output-refused": (
        "The command ended, and its result could not be written to where stdout leads: a full disk, usually. The exit "
        "status is 2, since whoever waits for the result has not got it. Run it again with its output going elsewhere."
    ),
    "system-refused": (
        "The system refused something that stackproof did not foresee by name: its reason and the file are told. "
        "Usual reasons are permissions, a full disk or a file that was removed meanwhile. Put that right, then run the "
        "same command again."
    ),
    "usage": (
        "The command line has a command, an option or a value that is not known. What exactly is on stderr, in words; "
        "the JSON document says only that, so that a program which reads stdout finds an answer. Ask `--help`."
    ),
    "our-defect": (
        "stackproof itself failed: this is a mistake in it and not in your project, and the exit status is 70. Nothing "
        "that it was about to write was taken over. What is needed to find it was written to the file that is named; "
        "send it with your report."
    ),
    "assign-malformed": (
        "`--assign` says which fold a commit of the checkout becomes, as in `--assign HEAD=block/fold`. What was given "
        "has no commit, no block or no fold in that form."
    ),
}

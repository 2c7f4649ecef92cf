"""Explanations of what can go wrong when git derives the trees a second time."""

EXPLANATIONS: dict[str, str] = {
    "git-missing": (
        "Every tree is derived twice, in memory and by git itself, and git is not installed or not on PATH. "
        "Install the package that the help names."
    ),
    "git-failed": (
        "git ended with an error where it should not: its own words are told. A full disk and a damaged object store "
        "are the usual reasons."
    ),
    "git-refuses-patch": (
        "Real git does not apply the patch of a fold to the tree before it. Both ways to a tree must agree, so the "
        "release does not hold. The words of git are told; most often the patch was edited by hand, or a fold before "
        "it changed. Make the patch again with `stackproof checkout` and `stackproof sync`."
    ),
}

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
    "project-in-base": (
        "The base of the imported stack is a whole folder. A project inside of it would be part of its own base, and "
        "every derivation would meet another tree. Write the project somewhere else."
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
    "range-wrong": "A range of commits is written BASE..TIP; the base is the commit that the first fold goes on.",
    "range-merge": (
        "A fold is one change on one tree, and a merge commit is a change on two. Taking only its first parent's side "
        "would hide what came in by the other. Make a straight branch of the commits and import that."
    ),
    "range-unrelated": (
        "Going back from the tip along its parents never meets the base, so that the commits between them are not "
        "defined. Take the commit that both have in common as the base."
    ),
    "repository-missing": "The folder is no git repository: it has neither a .git nor a HEAD.",
    "revision-unknown": "The repository has no commit of this name. Branches, tags, full and short ids are known.",
    "branch-exists": (
        "An export makes new branches and moves none, since a branch may hold work of somebody. Name another branch, "
        "or remove that one yourself."
    ),
    "branch-wrong": "git does not allow a branch of this name, or the commit is not complete in that repository.",
    "base-commit-missing": (
        "The branch would grow on the upstream commit that the release is based on, and the repository does not have "
        "it. Fetch that commit first."
    ),
    "export-exists": "An export never writes over a file or folder that is there. Name another place.",
    "not-for-quilt": (
        "GNU patch, which quilt runs, can neither change binary files by git's binary patches nor submodules. It would "
        "refuse the patch after changing other files. Export a mail folder or a branch."
    ),
    "mailbox-empty": "No message of the file holds a patch that could be read.",
    "import-ground": (
        "Patches are laid on something: unpatched sources in a folder (`--orig`), or the tip of a release in its "
        "bundle (`--on`). Exactly one of the two must be named."
    ),
    "dialect-unknown": (
        "git and GNU patch read the same bytes by different rules, so the dialect is named: `git`, or `gnu` for what "
        "dpkg-source and quilt run."
    ),
    "debian-no-series": "The folder is no Debian source tree with patches: debian/patches/series is missing.",
    "debian-format": (
        "Only the source formats 3.0 (quilt) and 1.0 (with debian/patches) keep a stack of patches that can be read."
    ),
    "debian-applied": (
        "The tree has patches applied. Its base was made again from the copies that are kept in .pc/, and the patches "
        "do not lead from there to the files on disk: somebody changed files, or the copies are not complete. Unpack "
        "the source again without its patches."
    ),
}

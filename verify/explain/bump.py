"""Explanations of what can go wrong when the stack is moved to another base, and of the gate that looks at it after."""

EXPLANATIONS: dict[str, str] = {
    "bump-deletes-new-lines": (
        "On the new base the stack would remove lines that upstream has added since the old one. Nobody who wrote the "
        "folds has seen them, so that they go is no decision yet. This comes of resolutions and of files that are "
        "replaced as a whole. Resolve the file so that the lines stay, or say with `--deletions` that they are to go."
    ),
    "bump-drift": (
        "The stack would change other lines on the new base than on the old one, and neither a resolution nor upstream "
        "explains it. A carried stack must not differ by itself, so nothing was written. `bump show --json` lists the "
        "lines with the folds that they belong to."
    ),
    "bump-drop-reason": (
        "A fold is to be left out of which upstream does not have everything. That is a decision like any other drop, "
        "and goes on record with its reason. Give `--reason`."
    ),
    "bump-folder-unknown": (
        "No folder of the archive holds the files of the present base, so where the engine is in it cannot be told "
        "by looking. Name the folder with `--folder`."
    ),
    "bump-follow": (
        "`--follow OLD=NEW` says that upstream moved a file: the path that the folds know, and the one that the new "
        "base has. Both are paths in the engine's tree."
    ),
    "bump-keep-gate": (
        "`--keep-gate BLOCK/GATE` keeps a gate of a block that is left out, since what upstream took is still to be "
        "looked at. The block has no gate of that name."
    ),
    "bump-none": (
        "No bump is proposed in this project, so there is nothing to show, resolve or accept. Propose one with "
        "`stackproof bump --to SOURCE`."
    ),
    "bump-open": (
        "A fold does not go on the new base by itself, or upstream removed what it stands on. The hunks and their "
        "causes are told; `bump show` has what upstream changed there. Resolve it in a folder, or leave the fold out "
        "with a reason."
    ),
    "bump-range-long": (
        "Each commit of a range is tried by itself, and this range has too many. Name a shorter one, or releases."
    ),
    "bump-ref-unknown": (
        "The repository has no branch, tag or commit of that name. The repository inside of an sdist is shallow and "
        "has few refs; they are listed. A whole commit id can always be named."
    ),
    "bump-source": (
        "The words name no base. A base is a version of the package that the present one comes from, another package "
        "at a version (`PACKAGE==VERSION`), a git repository at a commit (`PATH-OR-ADDRESS@COMMIT`), an archive or a "
        "folder on this machine. A path that does not exist is none of these."
    ),
    "bump-unreadable": (
        "The file that keeps the proposed bump is not what stackproof wrote. The project is not touched by this. "
        "Drop the proposal and make it again."
    ),
    "drift-base-differs": (
        "The record of the last bump names another base than the release has: the base in release.json was changed by "
        "hand. What the stack changes is then compared with nothing. Put the base back, and move the stack with "
        "`stackproof bump`."
    ),
    "drift-git-differs": (
        "git merges the old tip and the new base without a conflict, and to another file than the new tip has. One of "
        "the two put a change into the wrong place. Look at the file before anything is released."
    ),
    "drift-record-wrong": (
        "The record of the last bump says that a fold, or the whole stack, changes something else than the patches in "
        "this project do. The record or a patch was edited. Take it back, or bump again."
    ),
    "drift-undecided": (
        "A fold changes other lines than before the bump, and nothing on record explains it: it was not resolved by "
        "hand, upstream did not take it, it was not dropped. So a part of the fork was lost or doubled on the way."
    ),
    "resolution-broken": (
        "A remembered resolution cannot be read, or does not give the file that it was recorded for. It is not used, "
        "and the conflict stands as if nothing had been remembered. Resolve it again, or restore the files of the "
        "resolution from version control."
    ),
    "resolve-markers": (
        "A file still has the marks of a conflict: three versions between `<<<<<<<` and `>>>>>>>`. Make one text of "
        "them, and take the marks away."
    ),
    "resolve-not-ours": (
        "The folder has files in it and `stackproof bump resolve` did not make it. It was left as it is. Name another "
        "one; it is made when it is missing."
    ),
    "resolve-outdated": (
        "What stands in the folder was laid for another state of the stack: another proposal, or folds that were "
        "edited since. To take it would put a resolution where it does not belong. `--restart` lays the folder anew, "
        "and what was changed there is lost."
    ),
    "resolve-strays": (
        "Files were changed in the folder that had no conflict. A resolution is kept under the very files that "
        "conflict, so a change elsewhere would be lost. Take it back there, and amend the fold once the bump is "
        "accepted."
    ),
    "resolve-unchanged": (
        "A file that conflicts as a whole (a binary file, or one of another mode) is still as it was laid, which is "
        "what upstream has. Write what it shall hold, or remove it; to keep upstream's, leave the fold out."
    ),
}  # fmt: skip

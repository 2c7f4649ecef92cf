"""Explanations of what can go wrong when the stack is changed through a checkout, and pinned."""

EXPLANATIONS: dict[str, str] = {
    "checkout-dirty": (
        "The checkout has files that are changed, or new, and in no commit. Nothing is read from it or laid over "
        "it while it has, so that no work is lost or forgotten. Commit them; files that shall never be part of "
        "the stack can be named in .git/info/exclude of the checkout."
    ),
    "checkout-failed": (
        "git could not do its part in the checkout: its own words are told. Most often a file that is in no "
        "commit stands where the stack has one. The project itself was not touched."
    ),
    "checkout-in-progress": (
        "A rebase, merge or the like was started in the checkout and has not ended, so its branch is not what "
        "anybody meant. End it, or give it up with `--abort`, and repeat the command."
    ),
    "checkout-not-ours": (
        "The folder has files in it, and `stackproof checkout` did not make it. It was left as it is. Name "
        "another folder; it is made when it is not there."
    ),
    "checkout-unsynced": (
        "The checkout has commits that the project has not read. Laying the stack over it would hide them, so "
        "nothing was done. Read them with `stackproof sync`, or check the stack out at another place."
    ),
    "pin-outdated": (
        "release.json or the lock changed between the derivation and the writing of its result, so what would be "
        "written belongs to older files. Nothing was written. Pin again."
    ),
    "sync-assign": (
        "An assignment is COMMIT=BLOCK/FOLD: a commit of the branch (any name that git knows it by) and the fold "
        "that it is to be. This one names no commit between the base and HEAD, or no fold."
    ),
    "sync-base-lost": (
        "The branch does not stand on the base commit of the release: it was rebased onto another upstream, or "
        "the base of the project changed after the checkout. Folds are changes to the base and to nothing else. "
        "Put the commits onto the base again; a newer upstream is taken in by a bump of the base."
    ),
    "sync-block-emptied": (
        "Every fold of a block is gone from the branch. A block without folds says nothing, and whether it is to "
        "be dropped is a decision, not a side effect: take it out of release.json and remove its folder, or bring "
        "its commits back."
    ),
    "sync-block-unknown": (
        "A commit names a block that release.json does not list. A new block is declared first (its title, why it "
        "exists, until when, which paths it owns), with `folds: []`; its commits then become its folds."
    ),
    "sync-commit-unassigned": (
        "A commit of the branch names no fold: it has no Stackproof-Block and Stackproof-Fold lines at its end. "
        "Say which fold it is with `--assign COMMIT=BLOCK/FOLD`; the files and who owns them are told. A commit "
        "that is meant to improve an existing fold is squashed into that fold's commit. A commit of upstream has "
        "no place in the branch."
    ),
    "sync-commit-unreadable": (
        "The author or the message of a commit is not UTF-8, or not as git writes them, so they cannot stand in "
        "block.yaml. Amend the commit."
    ),
    "sync-fold-name": (
        "A fold is named by lower-case letters, digits, `.`, `+` and `-`, since its name is also a folder. Assign "
        "the commit to a fold with such a name."
    ),
    "sync-fold-twice": (
        "Two commits of the branch say that they are the same fold, and a fold is one change. Squash them into "
        "one commit, or assign one of them to a fold of its own."
    ),
    "sync-merge": (
        "The branch holds a merge. A stack is one line of changes, each on the one before, so that each can be "
        "read, moved and dropped; a merge has no place in it. Rebase the merged commits onto the branch."
    ),
    "sync-not-a-checkout": (
        "The folder was not made by `stackproof checkout`, so it is not known which base its commits stand on. "
        "Check the stack out and bring the commits there, for example with `git cherry-pick`."
    ),
    "sync-order": (
        "A block is one unbroken run of commits, in the order in which release.json lists the blocks. A commit "
        "stands at another place, so the folds would be applied in another order than the branch was tested in. "
        "Move the commit with an interactive rebase."
    ),
    "sync-outdated": (
        "The project's files changed while the branch was read, so what would be written does not belong to them. "
        "Nothing was written. Sync again."
    ),
    "sync-stale": (
        "The folds of the project changed after the branch was checked out or last synced: somebody else synced, "
        "or the files were changed. The branch does not know these changes, and writing it back would undo them. "
        "Check the stack out anew and bring your commits there, for example with `git cherry-pick`."
    ),
}

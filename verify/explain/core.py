"""What each code of the core means: patches as text, hunks on files, folds on trees, the stack against its lock."""

EXPLANATIONS: dict[str, str] = {
    "patch-syntax": (
        "The patch file is not in the form that git prints. A patch that is read loosely may lose a hunk or a byte, so "
        "the first line that does not fit stops the reading. Canonical patches are written by `stackproof pin` and "
        "`stackproof sync`; a patch from elsewhere enters through `stackproof import`."
    ),
    "patch-not-canonical": (
        "The patch says the right thing in another spelling than the one canonical form (docs/patch-format.md). One "
        "change must have one spelling, or two digests would stand for the same fold. The note shows the line that is "
        "expected. Let the tool write the patch again: `stackproof sync`, or import it."
    ),
    "patch-context": (
        "A hunk must have three lines of context on both sides (fewer only at the beginning or the end of the file), "
        "and hunks that would touch are one. With less context, or more, git and other tools may place the hunk by "
        "other rules. Let the tool write the patch again."
    ),
    "patch-line-numbers": (
        "The two line numbers of a hunk must agree: the new one is the old one plus the lines that the hunks above "
        "added or removed. git starts its search at the new number, so a wrong one can move the hunk. Usually a hunk "
        "was added or taken out by hand; let the tool write the patch again."
    ),
    "patch-path-unsafe": (
        "The patch names a path that leaves the tree or reaches into the repository itself: absolute, with `..`, or a "
        "component that some file system reads as `.git`. Nothing of such a patch is used. If it is a real file of the "
        "engine, rename it first."
    ),
    "patch-path-twice": (
        "All files of a canonical patch refer to the tree before it, so that each file stands in it once (a deletion "
        "may stand beside a creation of the same path, when a file becomes a link). Join the two sections, or make two "
        "folds of them."
    ),
    "patch-binary-missing": (
        "The patch says that a binary file differs and does not carry its content, as `git diff` does without "
        "`--binary`. The new file cannot be made from it. Ask for the patch again, made with `--binary --full-index`."
    ),
    "tree-malformed": (
        "An object of the repository is not a git tree, or holds a mode that git does not have. The object store is "
        "damaged or was written by a broken tool. Remove the object cache and import the base again."
    ),
    "fold-identity": (
        "Author and date of a fold become part of its commit, whose id the release promises. The author is written "
        "`Name <email>`, the date as git's raw form, `@SECONDS +ZZZZ`. Correct it in block.yaml and pin again."
    ),
    "path-exists": (
        "The fold creates a file that the tree before it already has. Perhaps the base or an earlier fold brought the "
        "same file. Nothing of the fold was applied."
    ),
    "path-missing": (
        "The fold changes, renames or deletes a file that the tree before it does not have. The base may have moved "
        "it, or an earlier fold took it away. Nothing of the fold was applied."
    ),
    "path-mode": (
        "The file has another mode (executable, link, submodule) than the patch says it meets. Mode and content are "
        "checked alike, since a lost executable bit breaks builds silently."
    ),
    "path-obstructed": (
        "After the fold one path would be a file (or a link) and a folder at the same time. A path below a symbolic "
        "link is refused for the same reason: it would leave the tree. Delete the one before the other is created."
    ),
    "delete-incomplete": (
        "The fold deletes a file, and the lines that it removes are not all the lines of the file it meets. Upstream "
        "may have added code since; deleting it silently would lose that. Read the file and make the fold again."
    ),
    "hunk-mismatch": (
        "The lines that a hunk replaces do not stand at the line it states. A release takes no offset and no fuzz: the "
        "same lines elsewhere may be the wrong function. The notes show the first line that differs, where the lines "
        "stand now, and who changed the file last."
    ),
    "submodule-line": (
        "A submodule is a commit id and not a file; in a patch it reads as the one line `Subproject commit ID`. "
        "The fold "
        "would leave something else there, which no tree can hold."
    ),
    "binary-mismatch": (
        "A binary patch changes one file, byte by byte, and the file in the tree is another one, or the payload makes "
        "another file than its `index` line says. Nothing of the fold was applied."
    ),
    "lock-missing": (
        "blocks/lock.json does not record this fold, so nothing says which files it must meet. Usually the fold is "
        "new. Read the derived trees and record them: `stackproof pin`."
    ),
    "lock-stale": (
        "blocks/lock.json records a fold that the blocks do not have any more. Put it back, or record the stack as it "
        "is: `stackproof pin`."
    ),
    "lock-order": (
        "The folds stand in another order than when the lock was written. Order is part of a release, since every fold "
        "is recorded on the tree that it meets. Restore the order, or record the new one: `stackproof pin`."
    ),
    "lock-patch": (
        "The bytes of fold.patch are not those that were pinned. If the edit was meant, record it with `stackproof "
        "pin`; if not, take the file from version control."
    ),
    "preimage-differs": (
        "The fold meets another file than the one that it was recorded on, even if its hunks would fit. Exact means "
        "that the whole file is the recorded one, since the same context can stand in the wrong place. The notes name "
        "both blobs and who changed the file before."
    ),
    "postimage-differs": (
        "From the recorded file the recorded patch made another file than the lock says. The lock was edited by hand, "
        "or is from another version of the patch. Record the stack again with `stackproof pin` and read the difference."
    ),
    "tree-differs": (
        "After this fold the whole tree is not the pinned one. Every later tree differs as a consequence and is not "
        "told again. The notes say whether a file of the fold or the base itself is the cause."
    ),
    "commit-differs": (
        "The tree is the pinned one, and the commit is not: subject, body, author, date, or a commit before it "
        "changed. The tip commit is part of what a release promises. Record it with `stackproof pin` if it was meant."
    ),
}

"""What each code of the commands that change the stack means: fold, amend, move, drop, undo and their like."""

EXPLANATIONS: dict[str, str] = {
    "author-malformed": (
        "Credit needs a real name and a real address, in the form `Name <email>`. Placeholders such as `root` or "
        "`localhost` credit nobody and are refused."
    ),
    "bad-new-name": (
        "Folds and blocks are named by lower-case letters, digits, `.`, `+` and `-`, since their names are folders too."
    ),
    "block-exists": "Two blocks of one release cannot share a name. Choose another one.",
    "block-unknown": (
        "release.json lists no block of this name. A new block is declared first: its title, why it exists, until when "
        "and which paths it owns, with `folds: []`."
    ),
    "disposition-unknown": (
        "A submission is folded, or it is deferred, dropped, rejected or upstreamed and goes on record only. That it "
        "is taken in part, or divided over blocks, is said by which part is picked."
    ),
    "drop-what": "`drop` takes folds by name, or one whole block with --block. Which of both is meant has to be said.",
    "edit-block-emptied": (
        "The edit would leave a block without a fold. Such a block says nothing and cannot be judged, and whether it "
        "goes is a decision of its own: `stackproof drop --block`."
    ),
    "edit-conflict": (
        "After the edit a fold would meet other files than it was made on, and one of its hunks does not go on: its "
        "place by context and its place by a three-way merge do not agree, or the file changed at that very place. "
        "Nothing is guessed and nothing was written. The hunks that stopped it are told below this. Rearrange in a "
        "checkout where they can be resolved, or change the fold first."
    ),
    "edit-outdated": (
        "Another run or an editor changed the project between the planning of the edit and its writing. Nothing was "
        "written. Run the command again: it plans on the project as it is now."
    ),
    "fold-author-missing": (
        "Every fold credits its author, and the patch has no mail header that names one. Say it with --author."
    ),
    "fold-block-unclear": (
        "Without --block a submission goes to the block that owns every one of its files, and here there is no such "
        "block, or more than one. Name the block, or divide the submission with `--split owners` or --split BLOCK=GLOB."
    ),
    "fold-exists": (
        "The block has a fold of this id already. A new revision of the same submission is taken with --update; "
        "another submission needs another id."
    ),
    "fold-id-many": (
        "An id names one fold, and the file holds several messages, each of which becomes a fold. Leave the ids to the "
        "subjects, or take all messages as one fold with --as-one."
    ),
    "fold-unclear": "Folds of several blocks share this id. Name the one that is meant as BLOCK/ID.",
    "fold-unknown": "No fold has this name. Folds are named BLOCK/ID, or by the id alone where one fold has it.",
    "list-inline": (
        "The list stands on one line of block.yaml as `[{…}]`. Items are added as lines of their own, so that what is "
        "there keeps its bytes; write the list with a `-` for each item first."
    ),
    "log-broken": (
        "A record in .stackproof/log was changed or cut short. The project itself does not depend on it; only undo and "
        "redo do. Removing the log forgets what could be undone and nothing else."
    ),
    "offer-empty": (
        "The file was read as mails and as a bare patch, and neither holds a change. A cover letter alone is no patch, "
        "and patches that are attached in other forms than plain, quoted-printable or base64 text are not read."
    ),
    "offer-untaken": (
        "What was picked leaves nothing of the submission to be taken. A submission that is not taken is put on record "
        "with --disposition."
    ),
    "order-changes-tip": (
        "The folds find their places in the new order, but the tip tree would be another one: they change the same "
        "things, and their order matters. A rearrangement must not change the result, so nothing was written."
    ),
    "patch-file-missing": "The patch that is named cannot be found. `-` reads it from standard input.",
    "pick-malformed": (
        "A part of a patch is GLOB, or GLOB#NUMBERS for some hunks of the files that the glob matches, such as "
        "`src/a.cpp#1,3-5`. Globs are those of `owns`: `*` stays within a folder, `**` does not."
    ),
    "pick-unmet": (
        "A part that was named is not in the patch: no file matches the glob, or no file has that many hunks. Hunks "
        "are counted from 1 within each file, in the order of the submission."
    ),
    "pick-whole": (
        "A file that is created, deleted, moved or binary is one change, and hunks of it cannot be taken alone. Name "
        "the file without hunks."
    ),
    "range-unknown": "git cannot read the range: one of its ends is no commit of that repository.",
    "reason-needed": (
        "Whatever is not taken, in whole or in part, is recorded with the reason, since the next revision raises the "
        "same question again. Say it with --reason."
    ),
    "record-nameless": (
        "An alternative that was tried without a patch at hand is recorded by its subject and where it came from. Give "
        "both."
    ),
    "reorder-names": (
        "An order is complete: every fold of the block, or every block, is named once. So a name that was forgotten "
        "cannot end up somewhere by chance."
    ),
    "split-empty": (
        "Each part of a split must hold a change, and so must what stays in the fold. If the whole fold is meant, "
        "rename or move it."
    ),
    "split-map-wrong": (
        'A map for --split is a JSON object from block names to lists of parts: `{"alpha": ["src/a.cpp#1,3"]}`.'
    ),
    "squash-order": (
        "A fold is squashed into one below it: the change grows where it begins. Name the lower one with --into."
    ),
    "tombstone-alive": (
        "A fold that stays adds the text that would be buried, so that the release could not hold any more. Choose a "
        "text that only the dropped fold brought, or drop the other one too."
    ),
    "tombstone-unmet": (
        "The dropped fold adds no line with this text as a whole word. A tombstone with a typing error never catches "
        "anything, so it is not made."
    ),
    "undo-edited": (
        "A file was changed after the operation that would be taken back, so putting the old bytes there would lose "
        "that change. Nothing was written. Take the later change back first, or undo by hand."
    ),
    "undo-nothing": (
        "The operation log has nothing (or not so much) to take back or to do again. `stackproof log` shows it; it "
        "keeps the last 200 operations, and a new operation ends what could be done again."
    ),
    "update-no-source": (
        "A new revision is compared with the old one, which is the fold's source.patch, and this fold has none: it "
        "came from a checkout. Amend it instead."
    ),
    "update-stuck": (
        "One of the two revisions goes neither on the files that the fold meets nor on those that it names itself, so "
        "what changed between them cannot be told. Nothing was written. Ask for a revision on the present base, or "
        "amend the fold by hand."
    ),
}

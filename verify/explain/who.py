"""What each code about credit, switches, pages and releases next to each other means."""

EXPLANATIONS: dict[str, str] = {
    "line-unaccounted": (
        "Lines of the tip are followed through the folds' own hunks, and the number of lines that came out is not "
        "that of the file. Some line then has no known author. This cannot happen while patches and trees agree, so "
        "look first at what `stackproof stack` says."
    ),
    "author-not-stated": (
        "The fold was imported from something that named no author, and its lines stand in the tip with nobody to "
        "credit. Find out who wrote it and name that person as the fold's `author` in block.yaml."
    ),
    "sign-off-lost": (
        "The submitted patch carries a Signed-off-by line that the fold's message does not keep. By it a person "
        "certified where the change comes from, and whoever takes it further needs it. Add the line to the fold's "
        "`body`; the commits and mails made of the fold then carry it too."
    ),
    "licence-missing": (
        "The fold creates files, and the release asks that each such fold states their licence (`licences` of the "
        "gate). Add `licence` to the fold in block.yaml, as the files themselves or their submitter say it."
    ),
    "lines-not-counted": (
        "Credit and switches are checked on the lines that the tip really has, and nobody counted them. `check` and "
        "`gate` do so by themselves; a program that makes its own case must give `line_counts`."
    ),
    "documents-not-read": (
        "The gate looks at the project's own texts and was given none. `check` and `gate` read them by themselves; a "
        "program that makes its own case must give `documents`."
    ),
    "switch-undeclared": (
        "An added line reads an environment variable that no block declares. Somebody who runs the engine may turn "
        "something on or off without knowing, and no arm of a gate does so on purpose. Declare it under `switches` of "
        "the block, or name it in `allowed` of the gate when it turns nothing off."
    ),
    "switch-never-read": (
        "A block declares a switch, and no line that the stack adds to the tip names it. Both arms then run the same "
        "code and their identity proves nothing. Read it in the block, or remove the declaration."
    ),
    "switch-presence-only": (
        "The code asks only whether the variable is set, so that setting it to its declared `off` value turns the "
        "feature on. Compare the value. The finding rests on the text around the read; where it is mistaken, compare "
        "the value in the same expression."
    ),
    "worklog-number": (
        "Entries of WORKLOG.md are headings `## YYMMDD.NNN Title`, with a day that exists. Other texts refer to them "
        "by this number. `stackproof worklog add` gives the next one."
    ),
    "worklog-repeated": (
        "Two entries have the same number, so that a reference may mean either. This comes from two branches that "
        "both added one; give the later entry the next free number and mend the references to it."
    ),
    "worklog-order": (
        "An entry stands behind one with a higher number. Numbers rise through the file, so that the last one is the "
        "newest. Move the entry, or give it the next free number."
    ),
    "worklog-dangling": (
        "A text mentions a number as entries of the worklog have it, and there is no such entry. Either the number is "
        "mistyped or the entry was removed; `stackproof worklog list` shows those that there are."
    ),
    "docs-drift": (
        "Between stackproof's markers a page has a table that is rendered from the release, and it is not what the "
        "release says now. `stackproof docs render` writes it again; never edit it by hand."
    ),
    "docs-table-unknown": "A page asks for a table that there is not. `stackproof docs list` names them all.",
    "docs-table-open": (
        "A page has the first marker of a table and not the second, so that nobody can say where the table ends."
    ),
    "owner-lines": ("The lines that were asked for are none of the file: lines count from 1 to the end of the file."),
    "owner-no-file": (
        "The tip of the stack has no file of this name. Names are those of the engine's tree from its root, not of "
        "this project, and a file that a fold renamed goes by its new name."
    ),
    "worklog-day": ("An entry of the worklog is numbered by its day, and what was given is no day as in 2030-01-31."),
    "worklog-title": "An entry of the worklog has a title of one line, by which it is found again.",
    "project-not-in-git": (
        "A revision was named, and the project's folder lies in no git repository. Name a folder or a bundle instead."
    ),
    "project-revision": (
        "The project's repository has no commit of this name, or that commit has no release.json where the project "
        "is. A revision is written with a colon behind it, as in `HEAD~1:`."
    ),
    "diff-not-a-release": (
        "Compared are releases: a project's folder, the folder of a sealed bundle (it holds the declared files), or a "
        "revision of the project. A single file is none of them."
    ),
    "added-mail-header": (
        "An added line is what starts a message in a mail folder. A mail was taken for a part of the file, as happens "
        "when patches are put one behind the other. Take the line out, and look whether more of the mail is there."
    ),
    "message-mail-header": (
        "The fold's message begins with header lines of the mail that it came in, or its subject still has the mail's "
        "tag. They are shown in every commit made of the fold. Author, date and subject have fields of their own."
    ),
    "patches-missing": (
        "The folder holds no patch. Expected are `.patch` files with numbers as `git format-patch` gives them, or a "
        "list: `series` as StGit and quilt keep it, `.patches` as Electron does."
    ),
    "patches-unreadable": "A patch that the folder lists cannot be read, or is far too large to be one.",
    "not-for-stgit": (
        "StGit's form has the subject first, then `From:` and `Date:` lines, then the body up to `---`. A line of "
        "this fold's message would be taken for one of these, so that it would not come back. Export another form."
    ),
    "delivery-unreadable": ("The release.json of the delivery is no JSON object, so that nothing it records is known."),
    "delivery-hash": (
        "A file of the delivery is not the one whose SHA-256 its release.json records. It was changed after it was "
        "recorded, or the record is another release's. Nothing was taken in."
    ),
    "delivery-tree": (
        "The delivery records the tree that its patches start from or end in, and another one was met. For the base, "
        "give the very sources with --orig, tags and submodules included; for the tip, a patch is missing or differs."
    ),
    "delivery-combined-differs": (
        "The combined diff of the delivery gives another tree than its patches, whatever its checksum says: it is "
        "older or newer than they are. Somebody who builds from it builds something else. With --rest what it gives "
        "beyond the patches is kept as a block of its own."
    ),
    "upstream-block": "A patch for upstream is made of one block, and the release has none of this name.",
    "upstream-nothing": "The block has no folds, so there is nothing to send.",
    "upstream-does-not-fit": (
        "The block was laid on the base with nothing but the blocks that it requires, and does not fit there: it "
        "stands on lines that another block brings, or that upstream has changed. The findings name every hunk. "
        "Declare what it stands on under `requires`; those blocks then have to be sent first."
    ),
    "history-unreadable": (
        "blocks/history.json says which content each release name stands for and is written by `stackproof pin` "
        "alone. It was changed by hand or by a merge; take it from git."
    ),
    "release-name-bound": (
        "A release name stands for one content. This one was sealed, or another release follows it, and the stack "
        "gives other trees now; whoever has the old one would compare two things of one name. Take the next name in "
        "release.json and this one as its parent. Where the bundle in dist/ was never given away, `stackproof pin "
        "--rebind` uses the name again."
    ),
    "parent-not-head": (
        "A new release follows the newest one. With an older parent, or none, what the releases between them brought "
        "would be missing from its line, and two releases would have one parent. Set `parent` to the newest, and "
        "merge its changes first where they are on another branch."
    ),
    "merge-both-changed": (
        "Both branches changed the same fold or the same block's description. Patches are never merged as text, since "
        "what comes out could apply and mean something that nobody wrote. Take one side, or take one and fold the "
        "other's change again, then `stackproof pin`."
    ),
    "merge-both-declared": (
        "Both branches changed the same value of release.json to different ones. Settle it by hand, then `stackproof "
        "pin`."
    ),
    "merge-order": (
        "Both branches put the same blocks in another order, each in its own. Only one order can be applied; settle "
        "it in `blocks` of release.json, then `stackproof pin`."
    ),
    "merge-release-name": (
        "Both branches made a release from the same parent, or named it differently. One of them would leave out what "
        "the other brought. Give the later one the next name and the other as its parent."
    ),
    "merge-unreadable": (
        "One side of the merge cannot be read or is not what it should be, so that nothing was merged. Look at the "
        "three versions that git keeps."
    ),
    "merge-arguments": (
        "git runs a merge driver with three files and a path. Run by hand, the command sets the driver up with "
        "--install."
    ),
    "co-author-lost": (
        "The submitted patch names a further author, and the fold credits neither by its author nor by its message. "
        "Credit that is lost in one squash is lost for good; add the line to the fold's `body`."
    ),
}

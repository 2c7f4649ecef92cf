"""What each code of the declared files means: their bytes, their syntax, their fields, and what they say together."""

EXPLANATIONS: dict[str, str] = {
    "release-missing": (
        "A project is the folder that holds release.json; every command reads it first. There is none here. Change "
        "into the project, or name its folder with `-C DIR`."
    ),
    "file-unfit": (
        "A declared file is a link, a device, a pipe or a folder, lies behind a link, or is far larger than such a "
        "file can be. Projects come from strangers, so only plain files inside of the project are read. Put the file "
        "itself there."
    ),
    "file-unreadable": (
        "The system does not let stackproof read a file or folder of the project; its reason is told. Mostly it "
        "belongs to another user. Put the permissions right."
    ),
    "not-utf8": (
        "Declared files are UTF-8, and this byte is not. Guessing another encoding could change a name without anyone "
        "seeing it. Save the file as UTF-8. (Patches are bytes and may hold anything.)"
    ),
    "control-character": (
        "A character that shows as nothing, moves the cursor, turns the direction of writing or ends a line for some "
        "tools only. A reviewer would not see what the file says. Remove it; where a document needs it, write it as "
        "an escape in double quotes. In names, subjects and the like it is refused in every spelling."
    ),
    "merge-conflict": (
        "git left both sides of a merge in the file. Resolve it. If it is blocks/lock.json or the reference in "
        "release.json, take either side and record the trees again with `stackproof pin`: neither is merged by hand."
    ),
    "too-many-mistakes": (
        "So many mistakes were found that the rest is only counted. They often share one cause, such as a wrong "
        "indent near the first. Correct what is shown and run again."
    ),
    "json-syntax": (
        "The file is not JSON: the place and what was expected there are told. Reading is strict, as other programs "
        "read these files too: double quotes, no comments, no comma after the last entry. The rest of the file was "
        "not read."
    ),
    "yaml-syntax": (
        "The file is not YAML: the place is told. Usual reasons are a tab as indent, a value that begins with `@`, "
        "`*` or `%` without quotes, or `: ` inside of unquoted text. Put such values in double quotes. The rest of "
        "the file was not read."
    ),
    "yaml-empty": (
        "The file has no content, or only comments. A block.yaml must at least give its schema, title, why, until, "
        "owns and folds; docs/schema/block.json lists all fields."
    ),
    "yaml-alias": (
        "An alias (`*name`) stands for a value from elsewhere in the file. A reader of one line would not see what it "
        "says, and chained aliases can grow without bound. Write the value out."
    ),
    "yaml-anchor": "An anchor (`&name`) only serves aliases, which are not taken. Remove it.",
    "yaml-tag": (
        "A tag (`!name`) asks the reader to build something other than text. Declared files are data: every value is "
        "text, and its field says what it means. Remove the tag."
    ),
    "yaml-directive": (
        "A line that begins with `%` changes how the rest of the file is read. Declared files always mean the same. "
        "Remove the line."
    ),
    "yaml-documents": (
        "A line `---` begins a second document, of which nothing would be read. Keep one document in the file."
    ),
    "yaml-depth": (
        "The document is nested deeper than any declared file needs to be, which is a slip or an attack. Mostly a "
        "bracket is missing."
    ),
    "yaml-key": "Fields have names, so a key must be text; here it is a list or a table. Often a quote is missing.",
    "duplicate-key": (
        "The same field is given twice in one table. Most readers silently keep the last one, so one of the two would "
        "not count and nobody would know which. Keep one."
    ),
    "unknown-schema": (
        "The document says that it is of a schema which this stackproof does not read, so none of its fields was "
        "taken: the same word may mean something else there. Use the version of stackproof that the project was made "
        "with, or bring the document to the schema that is named."
    ),
    "unknown-field": (
        "The table has a field that nobody reads. It is refused, since a misspelled field that is passed over is a "
        "rule that does not hold. The note lists the fields that there are."
    ),
    "tip-not-built": (
        "Binaries are those of the tip in a configuration, so that configuration must have `tip` among its proofs; an "
        "image is made of binaries that are packed. Name another configuration, or let this one be built at the tip."
    ),
    "missing-field": "A field that must be there is not. docs/schema describes every field. Add it.",
    "wrong-type": (
        "The value is of another type than its field: a list for text, a quoted number for a number, nothing for "
        "something. In JSON, text stands in double quotes; in YAML, numbers, true and false stand without them."
    ),
    "list-empty": "A list or table that must name at least one thing names none, so it would check or build nothing.",
    "duplicate-item": (
        "The same entry stands in a list twice. The order of blocks and the set of what is owned or built must be "
        "plain, so it is refused. Keep one of them."
    ),
    "duplicate-name": (
        "Two things of one kind have the same name: gates anywhere in the release, folds of one block, switches of "
        "any two blocks, or entries of the lock. Reports, folders and switches go by the name, and one of the two "
        "would be lost. Rename one."
    ),
    "bad-name": (
        "Names of releases, blocks, folds, gates, models and configurations become folder names and parts of commit "
        "messages, so they are plain: lower-case letters, digits and `-+.`, at most 80 characters, the first a letter "
        "or digit."
    ),
    "bad-sha256": (
        "A digest must be written whole: 64 lower-case hexadecimal digits, as `sha256sum FILE` prints it. Short "
        "digests are never accepted, as two spellings of one digest drift apart."
    ),
    "bad-object-id": (
        "An id of git must be written whole: 40 lower-case hexadecimal digits. A short id is unique only until "
        "somebody adds an object. `git rev-parse` prints the whole one."
    ),
    "bad-date": (
        "The date of a fold goes into its commit, byte for byte, so it is written as git stores it and never guessed: "
        "seconds since 1970 and the zone, as in `@1790000000 +0000`. `git log --format=%at` prints the seconds."
    ),
    "bad-author": (
        "An author is a name and an address, as in `Name <address>`. They go into the fold's commit and into the "
        "release notes."
    ),
    "placeholder-author": (
        "The author is an example, not a person: an address at example.com or localhost, or a name such as `Your "
        "Name`. Credit for a change goes by this line. Name who wrote it."
    ),
    "text-empty": "A text that people rely on says nothing. Say it, or leave the field out where it may be left out.",
    "not-one-line": "This text becomes a heading, a subject or a column, so it has one line and no tabs.",
    "outer-space": (
        "White space at the start or end of a text shows nowhere and is compared everywhere. Remove it, or the quotes "
        "that keep it."
    ),
    "subject-too-long": "The subject of a fold is the first line of its commit. Say the rest in `body`.",
    "reason-missing": (
        "A fold that was split, partly taken, deferred, dropped or left to upstream says in `reason` what was not "
        "taken and why. Otherwise its author, and whoever bumps the base, has to guess."
    ),
    "unknown-word": "The field takes one of a few words, and this is none of them. The note lists them.",
    "out-of-range": "The number is outside of what the field allows; the bound is told.",
    "bad-package": "This is no name of a package on an index, so pip could take it for something else.",
    "bad-version": (
        "A package is pinned to one exact version, which begins with a digit. Ranges, addresses and options are not "
        "versions."
    ),
    "bad-repository": (
        "A repository is a path or an address. What begins with `-` would be an option to git, and `NAME::` would "
        "start a helper program."
    ),
    "bad-build-type": "CMake knows four build types by heart: Release, Debug, RelWithDebInfo and MinSizeRel.",
    "bad-option": (
        "The name of a CMake option has letters, digits and `_`. It is given to CMake as `-DNAME=VALUE`; write the "
        "name without `-D`."
    ),
    "bad-target": "The name of a build target has letters, digits and `_.+-`, as `cmake --build --target` takes it.",
    "bad-switch": (
        "A switch is an environment variable that the engine reads: upper-case letters, digits and `_`. Variables "
        "that the system or other tools read (PATH, LD_PRELOAD, GIT_DIR and the like) cannot be switches, since "
        "turning them would change more than the block."
    ),
    "bad-pattern": "The text is not a regular expression as Python's `re` reads it; its reason is told.",
    "bad-path": (
        "Paths in the lock are spelled as git spells them in patch headers, quoted only where they must be. The lock "
        "is written by `stackproof pin` and not by hand."
    ),
    "unsafe-path": (
        "A path leaves the place that it belongs to, through `..`, an absolute path or an empty component. Such a "
        "path could read or write files of the machine, so the whole file is refused."
    ),
    "unsafe-glob": (
        "A glob of `owns` must be a relative path in the engine's tree: `*` and `?` within one component, `**` alone "
        "between slashes for any folders. It may not leave the tree, name `.git`, or own everything: a block that "
        "owns all paths makes ownership say nothing."
    ),
    "unknown-block": (
        "A name stands where a block of this release should. Blocks are the folders in blocks/ that release.json "
        "lists under `blocks`, in order."
    ),
    "unknown-model": "A gate names a model that `models` of release.json does not declare.",
    "unknown-configuration": "A gate or an option names a configuration that release.json does not declare.",
    "unknown-switch": "A gate names a switch that no block declares under `switches`.",
    "unknown-kind": (
        "There is no kind of gate of that name. A gate of an unknown kind would check nothing, so it is refused. "
        "`stackproof gate --list` shows all kinds."
    ),
    "gate-scope": (
        "Some kinds of gates judge one block (its switch, its effect), others the whole release. The gate is declared "
        "in the wrong file. Move it."
    ),
    "gate-params": "The parameters of the gate are right one by one and do not go together; the reason is told.",
    "block-file-missing": (
        "release.json lists the block and its folder is there, without the block.yaml that declares it. Bring the "
        "file back, or make it."
    ),
    "block-unlisted": (
        "A folder in blocks/ is not in `blocks` of release.json, so nothing of it would be applied, built or judged. "
        "A change must not be left out unseen. List it where it belongs in the order, or remove the folder."
    ),
    "fold-unlisted": (
        "A folder in folds/ is not in `folds` of block.yaml, so its patch would not be applied. A change must not be "
        "left out unseen. List it where it belongs in the order, or remove the folder."
    ),
    "patch-missing": (
        "A fold is declared and its fold.patch is not there. Bring it back from version control. For a new fold, "
        "begin with an empty file: an empty fold is legal, and `stackproof checkout` and `stackproof sync` fill it."
    ),
    "requires-later": (
        "A block requires itself or one that stands after it. Blocks own their code, and each must build on what "
        "stands before it. Change the order in release.json, or the requirement."
    ),
    "lock-file-missing": (
        "release.json promises trees (`reference`), and blocks/lock.json, which records how they come about fold by "
        "fold, is gone. Bring it back from version control; `stackproof pin` would write it anew from what is there "
        "now, which need not be what was released."
    ),
    "reference-missing": (
        "blocks/lock.json records folds, and `reference` in release.json is null. Both are written together by "
        "`stackproof pin`. Bring the missing half back, or pin again."
    ),
}

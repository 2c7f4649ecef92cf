"""What each code of packing a release, and of checking what was packed, means."""

EXPLANATIONS: dict[str, str] = {
    "verdict-of-another-release": (
        "`seal` packs exactly what was judged. The verdict that it was given names another release, other declared "
        "files, or another base or tip than those to be packed; the notes show both. Judge this very release and seal "
        "it in one go: `stackproof release`."
    ),
    "declared-files-changed": (
        "release.json or a file in blocks/ was changed between the verdict and the seal, so the verdict does not speak "
        "of it. Nothing was packed. Run `stackproof release` again; what is already proven for the same content is not "
        "made again."
    ),
    "evidence-not-kept": (
        "A bundle holds every record that its verdict used, so that others can look at what was measured. Some of them "
        "are not in the cache any more, perhaps because it was emptied. `stackproof release` measures them again."
    ),
    "evidence-replaced": (
        "Between the verdict and the seal another run wrote records of evidence under the same keys, so what lies in "
        "the cache is not what the gates saw. Nothing was packed. Let one run do both, with nothing else on the same "
        "cache: `stackproof release --fresh`."
    ),
    "seal-replaced": (
        "A bundle of this release's name stood there already, with other content: other evidence, or another state of "
        "the release. It was exactly as it had been sealed, so it was replaced as a whole. One name for two contents "
        "confuses whoever has seen the first: rename the release in release.json before it is published."
    ),
    "seal-in-the-way": (
        "Where the bundle shall stand there is something that is not a bundle exactly as it was sealed: a file, a "
        "link, somebody's folder, or a bundle that was edited afterwards. It is kept as it is, since it may be all "
        "that somebody has. Move it away, or seal into another folder."
    ),
    "seal-not-sound": (
        "What is packed is checked as a stranger would check it before it gets its name, with git deriving every tree "
        "again and the combined diff giving the tip. That check failed, and the findings below it say where. Nothing "
        "was made visible. A file that changes while it is read or a failing disk can be the reason; if it comes "
        "again, it is a defect of ours."
    ),
    "bundle-missing": (
        "The folder is not a bundle: it has no SHA256SUMS, stack.json or verdict.json. Name the folder that carries "
        "the release's name, as it was sealed or unpacked, not the one above it."
    ),
    "bundle-unsafe-file": (
        "A bundle holds plain files with plain names in plain folders. A link, a device, a pipe or a name of another "
        "kind could make a reader look at something else than what was sealed. It was not opened. Get the bundle again "
        "from where it was published."
    ),
    "bundle-too-large": (
        "The bundle holds a file, or files together, larger than any release; reading it could fill memory or time. It "
        "was not read. Get the bundle again from where it was published."
    ),
    "bundle-unreadable": (
        "The system refuses to read a file or folder of the bundle, so that nothing can be said of it. Look at its "
        "permissions, or copy the bundle again."
    ),
    "bundle-sums-malformed": (
        "SHA256SUMS has one line a file: the digest, two spaces, the name, sorted by name. A list in another form "
        "could be read differently by different tools. Get the bundle again from where it was published."
    ),
    "bundle-file-added": (
        "The bundle holds a file that SHA256SUMS does not list. Somebody put it there after the bundle was sealed; "
        "nothing vouches for it. Remove it if you know where it comes from, else get the bundle again."
    ),
    "bundle-file-missing": (
        "SHA256SUMS lists a file that is not there, or is itself not there. The bundle was not copied whole, or "
        "something was taken out of it. Get it again from where it was published."
    ),
    "bundle-file-changed": (
        "A file of the bundle has another SHA-256 than SHA256SUMS lists: it was changed or damaged after the bundle "
        "was sealed. Get the bundle again from where it was published."
    ),
    "bundle-file-unknown": (
        "Every file of a bundle is there for a reason that its documents give: declared, a patch, evidence that the "
        "verdict used. This one has none, even though SHA256SUMS lists it. Somebody made the list again with it."
    ),
    "bundle-document-unreadable": (
        "release.json, stack.json or verdict.json is missing, or is not exactly in the form in which it is written. "
        "Each has one spelling, so that nothing can be changed in it unseen. What depends on it was not checked."
    ),
    "bundle-declared-differs": (
        "The release's digest goes over the bytes of every declared file, and the verdict names it. A file that was "
        "changed, added or left out since makes another release, of which the verdict says nothing."
    ),
    "bundle-stack-differs": (
        "stack.json repeats what release.json declares and what was derived, for programs that read no YAML. It says "
        "something else than release.json does, or contradicts itself. One of the two was changed after the seal."
    ),
    "bundle-base-differs": (
        "The base is not the recorded one: base.json says something else than release.json, or the pinned archive or "
        "the upstream commit has another tree. Patches prove nothing on another base. If you gave the base yourself, "
        "compare it with base.json first."
    ),
    "bundle-patch-differs": (
        "Each patch stands twice in a bundle, as declared in blocks/ and numbered in patches/, and its digest in "
        "stack.json; the series gives the order. They do not agree, so a tool that reads one would build something "
        "else than a tool that reads the other."
    ),
    "bundle-lock-differs": (
        "blocks/lock.json records every fold's patch, tree and commit, and so does stack.json. They differ, so one of "
        "them was changed after the seal."
    ),
    "bundle-commit-differs": (
        "A commit's id follows from its tree, its parent, its author, its date and its message. What stack.json gives "
        "for a fold leads to another id than it records: somebody changed a credit, a message or a tree."
    ),
    "bundle-tree-differs": (
        "Git, from the base and the patches in the bundle, derives another tree than the one that was promised. What "
        "is built from this bundle is not what was judged. Only the first fold is told; all that follow are a "
        "consequence."
    ),
    "bundle-combined-differs": (
        "combined.diff is the whole release as one patch, and it does not make the promised tip of the base. Whoever "
        "applies it gets another program than whoever applies the series."
    ),
    "bundle-evidence-unsound": (
        "A record of evidence carries the SHA-256 of its own content, and its file is named by its key. This one does "
        "not fit one of them: it was edited, damaged, or put under another's name."
    ),
    "bundle-evidence-missing": (
        "The verdict names every record that a gate used, and this one is not in the bundle. What the gate said cannot "
        "be looked at any more."
    ),
    "bundle-verdict-altered": (
        "The verdict carries a digest of its subject and of every gate's result, as the judge gave them. It does not "
        "fit: an outcome, a summary or the subject was edited afterwards."
    ),
    "bundle-verdict-fails": (
        "The verdict does not say that the release holds: a required gate did not pass, a declared gate was not ruled "
        "on, or nothing was required at all. Such a release is never sealed, so the bundle was put together by hand."
    ),
    "bundle-verdict-of-another": (
        "The verdict is about another release, or rests on other evidence than what lies in the bundle. It may be "
        "sound for what it was given for; it says nothing about this bundle."
    ),
    "base-not-given": (
        "A bundle holds the patches and says how to get the base, but not the base. Without it the trees, the combined "
        "diff and the base itself are undecided, and the exit status is 2. Get the archive that base.json names and "
        "give it with `--base`, or a git folder that has the base's tree."
    ),
    "base-unusable": (
        "What was given as the base is neither the pinned archive nor a git folder with the recorded tree or commit in "
        "it, or cannot be read. What needs the base is undecided. base.json says which archive it is."
    ),
}

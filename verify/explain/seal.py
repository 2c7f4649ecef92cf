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
    "bundle-reviews-differ": (
        "reviews.json says how every fold stands with its reviews, and the statement on review coverage is printed "
        "from it. Here it is about another change than the folds of this bundle, or it rests on a record that is not "
        "among the judged files, so nobody knows who approved what."
    ),
    "bundle-review-owed": (
        "release.json asks that folds are approved (`policy.reviews`), and this one is not: nobody approved it, "
        "somebody rejected it, too few people did, or a condition of the approval is open. A release like that never "
        "holds, so the verdict and reviews.json were not made together."
    ),
    "bundle-review-unsigned": (
        "release.json asks for signed reviews and names who may sign. This record has no signature, or one that none "
        "of them made over these bytes."
    ),
    "bundle-second-differs": (
        "dulwich, git written anew in Python, derives another tree from the base and the patches than the one that "
        "was promised, or a patch does not fit where it says. Git and dulwich share no code, so that an error in one "
        "of them or a patch that both read differently shows here."
    ),
    "second-way-failed": (
        "dulwich is installed and could not be used on this base or these patches, so that nothing is known of the "
        "second way. Look at its words; without dulwich the check is left out, and the report says so."
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
    "bundle-mail-differs": (
        "series.mbox is the mail form of the folds, and mail can lose what a message or a patch says. Read back, "
        "one of its mails is not the fold that stack.json and the patches give. Use the patches, or get the bundle "
        "again."
    ),
    "bundle-source-differs": (
        "source/ holds the patched sources. Their files do not give the tip's tree, or the archive is not in the "
        "one form that archives of a bundle have, so it was changed after the seal."
    ),
    "bundle-binaries-differ": (
        "An archive of binaries holds exactly what the record of the tip's build lists, less the names that "
        "release.json leaves out, and the licences of the sources. This one does not, or the record or the archive "
        "is missing. What is in it was not judged."
    ),
    "bundle-image-differs": (
        "The image's configuration, manifest and index follow from its layers and release.json, each blob is named "
        "by its digest, and the engine's layer holds the binaries that were built. One of these is not so."
    ),
    "bundle-sbom-differs": (
        "The SBOM is about another release or base, or its pedigree lacks a patch of this release. Whoever looks for "
        "what is in the engine by this SBOM would be misled."
    ),
    "bundle-notes-differ": (
        "NOTES.md follows from stack.json, from what the parent held (since.json) and from the verdict. It says "
        "something else: it was edited, or is another release's."
    ),
    "bundle-statement-differs": (
        "A statement follows from the documents, the evidence and the digests of the other members. This one says "
        "something else: it was edited, or belongs to another release or to an earlier seal of this one."
    ),
    "bundle-member-differs": (
        "The release statement names every other member by its SHA-256. This member is another file, is not named, "
        "or is not there, although SHA256SUMS lists it as it is: the list was made again after the seal."
    ),
    "bundle-signature-wrong": (
        "Each statement of a signed bundle has one envelope in signatures/, over exactly its bytes, by the same key as "
        "the others. This one is missing, is of other bytes (an earlier statement, perhaps), or its signature does not "
        "fit. Do not use the bundle; get it again from where it was published."
    ),
    "bundle-signer-unknown": (
        "The bundle is signed, by a key that the list given with `--signers` does not have. Either it was made by "
        "somebody else than you expect, or a signer has a new key: ask, by a way that does not come from the bundle "
        "itself."
    ),
    "signers-unreadable": (
        "The list of signers has a line for each key: a name, the key's type and the key, as in a .pub file. "
        "Options of ssh's own lists are not taken, since they would not be obeyed."
    ),
    "openssl-missing": (
        "A plain ed25519 signature is checked by `openssl pkeyutl`, which is not installed. Nothing is decided "
        "about it, and the exit status is 2. Signatures of ssh keys need ssh-keygen alone."
    ),
    "binaries-not-built": (
        "release.json gives away the binaries of a configuration, and what is kept is not the build of the tip that "
        "the verdict rests on: it was never made, was collected, or no gate uses it. Build it, with a gate of kind "
        "`build`."
    ),
    "binaries-incomplete": (
        "A program or library of the binaries needs a library that is neither in the archive nor on this machine. "
        "Leave fewer names out with `without`, or have the missing one among the targets."
    ),
    "smoke-failed": (
        "Before a seal the binaries are unpacked in another folder and the `smoke` lines of release.json are run there "
        "with an empty environment. This one did not end with status 0, so nothing was sealed. The program may rest on "
        "files of its build folder, or not know the option."
    ),
    "smoke-not-run": (
        "A program of the binaries could not be started at all, for example because it was built for another machine. "
        "Binaries are tried where they are sealed, so seal on a machine that can run them."
    ),
    "image-incomplete": (
        "The image holds the program, its libraries and the system's libraries that it loads. Started from these files "
        "alone it could not be loaded, so no image was made and nothing was sealed."
    ),
    "image-no-loader": (
        "No dynamic loader was found for the program of the image. Images are made of dynamically linked programs of "
        "Linux; leave `image` out of release.json for others."
    ),
    "system-licence-unknown": (
        "An image carries the system's libraries, so it must carry their licences. They are taken from the packages of "
        "Debian and its relatives, and for one library there is none. Seal on such a system, or without an image."
    ),
    "parent-unusable": (
        "The notes tell what is new since the parent, from the parent's bundle. What was given is not a whole "
        "bundle of that name. Give the folder as it was published."
    ),
    "parent-not-at-hand": (
        "The release follows another one, whose bundle lies neither beside the new one nor was given with "
        "`--parent`. So the notes list every fold, and say so. All else is the same."
    ),
    "key-unreadable": (
        "The key that shall sign cannot be read. Nothing was sealed. Name an OpenSSH private key, a public key whose "
        "private one an agent holds, or an ed25519 key in PKCS #8 form."
    ),
    "key-unusable": (
        "A plain key in PKCS #8 form must be an ed25519 key; other kinds of keys sign in OpenSSH's form. "
        "`ssh-keygen -t ed25519` makes one."
    ),
    "signing-not-installed": (
        "Plain ed25519 keys sign with securesystemslib, which is an extra. Install it, or sign with an ssh key, which "
        "needs nothing but ssh-keygen."
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

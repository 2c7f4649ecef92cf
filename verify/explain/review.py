"""What each code about source texts, reviews and claims means."""

EXPLANATIONS: dict[str, str] = {
    "grammar-missing": (
        "Claims and reviews are checked on syntax trees, and the grammar of that language is not installed. The "
        "grammars are small packages in requirements/run.txt. Nothing is concluded without one: what would have been "
        "read with it is undecided."
    ),
    "claim-fails": (
        "A claim of block.yaml is a statement about the engine's source on which a review rests, run again on the tip "
        "of the stack. It does not hold there: the notes say why, with the places. Either the code has changed under "
        "the block, and the fold needs work or another look, or the claim was written too narrowly."
    ),
    "claim-undecided": (
        "The grammar could not read the span that the claim is about, or the function's name or an anchor fits several "
        "places. Nothing is concluded from that. Give the function its class (`server::update`), lengthen the anchor "
        "until it stands in one place, or state the claim of a part that can be read."
    ),
    "claims-not-run": (
        "The gate looks at how the claims came out on the tip, and nobody ran them. `check` and `gate` do so by "
        "themselves; a program that makes its own case must give `claims`."
    ),
    "review-stray": (
        "A block's `reviews/` holds records, receipts, the patches that were reviewed, and signatures beside them, "
        "each named by the digest of its bytes. This file is none of them. Take it away, or put it elsewhere."
    ),
    "review-altered": (
        "Records of reviews are named by the digest of their bytes, so that nobody can edit one unnoticed. This one is "
        "not what its name says. Bring the file back as it was; whoever has more to say adds another record "
        "(`stackproof review add --delta`)."
    ),
    "review-chain-broken": (
        "A delta and a carry follow an earlier record, and what they say means nothing without it. Bring that file "
        "back, or take the records away that hang on it. A review by itself follows none."
    ),
    "review-certificate": (
        "A carry holds the facts by which an approval was taken over to another base. These cannot be read, so nothing "
        "is carried by them. Take the file away and let `stackproof review carry` make another."
    ),
    "condition-legs": (
        "A condition of the kind `ci` is met by green runs, and it must say which: name them in `legs`."
    ),
    "review-signers": (
        "`policy.reviews` of release.json asks that reviews are signed and names nobody who may sign. Add the "
        "maintainers' public keys to its `signers`."
    ),
    "grade-too-lenient": (
        "Grades say how much of a reviewed change is still the same. The policy may ask for more than is usual, and "
        "never for less than is sound: what is `changed` needs a review, what has moved needs at least a word."
    ),
    "review-owed": (
        "`policy.reviews` of release.json asks that every fold is approved, and this one is not: nobody reviewed it, "
        "or what was reviewed is not what is there now. The note says how much of it is the same. The packet shows the "
        "least that has to be read."
    ),
    "review-rejected": (
        "A reviewer rejected exactly this change. Change the fold, drop it, or have the reviewer look again: a later "
        "record that follows the rejection decides."
    ),
    "review-unproven": (
        "An approval is on record for this fold on other trees, and those are not in the object store of this machine, "
        "so the two cannot be compared. Carry the approval over on a machine that has them and commit the record, or "
        "stack the release once whose base was reviewed."
    ),
    "review-unsigned": (
        "`policy.reviews` of release.json asks for signatures on records and receipts, and there is none beside this "
        "file. Sign it with a key that the policy names; the signature lies beside it, with `.sig` behind its name."
    ),
    "review-signer-other": (
        "The signature on this record is good, but it is somebody else's than the reviewer's. A key speaks for the one "
        "whose name it has in release.json alone."
    ),
    "condition-unmet": (
        "An approval hangs on runs that are green at the exact head, on every leg it names. The head that is here has "
        "no receipt from at least one of them. A receipt for another tree or commit does not count, however near."
    ),
    "reviews-not-read": (
        "The gate looks at how folds stand with their reviews, and nobody looked. `check` and `gate` do so by "
        "themselves; a program that makes its own case must give `reviews`."
    ),
    "review-nothing-to-follow": (
        "A delta review says that what changed since the last review was looked at, so there must have been one. "
        "Review the fold as a whole first, without `--delta`."
    ),
    "review-no-delta": (
        "Every fold of the block that is on record stands exactly as its last record left off, so there is no delta "
        "to review. Where a fold was carried to another base, `stackproof review carry` records that."
    ),
    "certificate-doubtful": (
        "A certificate is checked a second time before it is written, by git's own merge and another way of reading. "
        "The two did not agree, so nothing was carried. Review the fold again, and report it: one of the two is wrong."
    ),
    "review-by-missing": (
        "A record is somebody's word, and nobody was named. Give a name and an address as git has them."
    ),
    "review-says-nothing": (
        "A record says in words what was looked at, since the next reader has to rely on it. The option is empty."
    ),
    "review-condition": (
        "A condition is given as its name, `=`, and what it asks: the legs that must be green at the exact head "
        "(`--condition ci=x86,arm`), or in words what is to come (`--after-release speed=measure it again`)."
    ),
    "condition-unknown": (
        "Receipts are for conditions of approvals that stand. There is none of that name, or several blocks have one: "
        "then name it with its block. `stackproof review status` lists them."
    ),
    "receipt-unreadable": (
        "A receipt is made of a JUnit report, or of a statement in JSON. This file is neither, or uses parts of XML "
        "that are not read from strangers."
    ),
    "receipt-names-no-head": (
        "A report proves something about the tree and commit that it was made at, and this one does not say which. "
        "Write `stackproof.tree` and `stackproof.commit` into its properties where the run starts; "
        "`stackproof stack --json` names both."
    ),
    "receipt-wrong-head": (
        "The report was made at another tree or commit than the tip of this stack. The condition asks for this exact "
        "head: run the leg again here. A report from before the last change proves nothing about what is there now."
    ),
    "receipt-wrong-leg": (
        "The report is of another leg than the one asked for, or of one that the condition does not name. A green run "
        "on one machine says nothing about another."
    ),
    "receipt-unsigned": (
        "A statement in JSON is somebody's word that a run was green, so it counts by its signature: made with "
        "`ssh-keygen -Y sign -n stackproof-review` by a key that `policy.reviews.signers` of release.json names, and "
        "given with `--signature`, or lying beside the statement as `FILE.sig`. A JUnit report needs none."
    ),
    "receipt-says-otherwise": (
        "A receipt repeats what its signed statement says of head, leg and counts, and here the two differ: one of "
        "them was edited. Remove the receipt and make it again from the statement."
    ),
    "receipt-not-green": (
        "Cases failed, or none ran at all, which proves as little. The condition asks for a green run."
    ),
    "ci-no-repository": (
        "A pull request is looked at between two commits of the project's own git repository, and this folder lies in "
        "none. `stackproof check` needs no repository."
    ),
    "ci-range": (
        "The two commits of a pull request are given as `BASE..HEAD`: what it is to be merged into, and its own last "
        "commit, which is what is checked out."
    ),
    "ci-not-checked-out": (
        "What is checked is the project as it lies in the folder, so the head of the pull request must be what is "
        "checked out there. Otherwise another state would be judged than the one that is asked about."
    ),
    "ci-git-refused": (
        "git could not read the commits of the pull request. A hosted CI often clones the last commit alone: let it "
        "fetch the base too (`fetch-depth: 0`)."
    ),
    "review-to-do": (
        "A pull request changes this fold, and no approval is on record for it as it is now. That is a note and fails "
        "nothing; with `policy.reviews.required` in release.json it would."
    ),
}

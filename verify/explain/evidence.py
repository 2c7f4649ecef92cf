"""What each code of accepted deviations, of evidence and of those who measure means."""

EXPLANATIONS: dict[str, str] = {
    # the register
    "deviation-too-wide": (
        "An accepted deviation names what was seen: the code of the finding, and what the finding names (a path, a "
        "prompt, a model, a test case). Without both it would also cover whatever the gate finds next, and so waive "
        "the whole gate. The names are the words in backticks of the finding's message and notes, and its file."
    ),
    "deviation-not-waivable": (
        "The gate says whether the release is what it promises to be: its trees, its paths, its builds, its register. "
        "Accepting what it finds would only move the failure to whoever checks the bundle. Correct what it finds; "
        "trees that are meant to differ are recorded by `stackproof pin`."
    ),
    "deviation-number-reused": (
        "A number stands for one deviation for ever, so that a note from last year still means the same. Two entries "
        "of the register have it. Give the later one the next free number, and write that as `last`."
    ),
    "deviation-numbers": (
        "Numbers run from 1 to `last` without a gap, over `accepted` and `ended` together, so that none is taken out "
        "of the register unseen. Keep an entry for every number that was given: what is over goes to `ended`, with "
        "what ended it."
    ),
    "deviation-ended": (
        "The deviation was accepted until something that has come about by what the release declares: its name, its "
        "base, its upstream commit, or the day of its newest fold. It waives nothing any more. Move its number to "
        "`ended`, and accept the finding anew under the next number where it is still meant."
    ),
    "deviation-not-met": (
        "The gate decided, and found nothing that the deviation covers: what was accepted is gone. A deviation that "
        "stays would cover its return, which nobody would notice. Move its number to `ended` with what ended it."
    ),
    "bad-day": (
        "A day in the register is written YYYY-MM-DD. Days are compared with the date of the newest fold and never "
        "with a clock, so that a release is judged the same tomorrow."
    ),
    "gate-outlives-nothing": (
        "`outlives` is for a gate of release.json that came with a block which upstream took since: the probe stays, "
        "and its switch is looked up there. The block that it names is still in the stack, so the gate belongs into "
        "that block's block.yaml."
    ),
    "deviation-covers-nothing": (
        "An accepted deviation is about something that was seen. On the evidence at hand the gate finds nothing with "
        "that code which names all of this, so the entry would cover what nobody has looked at. The notes show what "
        "it finds."
    ),
    "bad-until": (
        "Every accepted deviation says what ends it: the gate passing, another base or upstream commit, a release, or "
        "a day that the newest fold is of. See the notes for how each is written."
    ),
    "unknown-deviation": (
        "No accepted deviation has this number. It may be over already: `stackproof deviations list` shows both."
    ),
    "register-by-hand": (
        "blocks/deviations.yaml is written by the commands as long as nobody edited it. This one has comments or an "
        "order of somebody's own, which writing it anew would lose, so the note says what to put there."
    ),
    # hardware and policy
    "unknown-hardware": (
        "A gate may say that it must be measured on some machine, by a name under `hardware` in release.json with a "
        "line on what it is. This name is not there. Until evidence from such a machine is imported the gate is "
        "deferred and listed as a debt."
    ),
    "contributor-counts": (
        "What a contributor measured is kept and shown as a claim, and never counts as evidence: a release would rest "
        "on figures that nobody of the project has seen. Give the signer another role, or leave `contributor` out."
    ),
    "signer-local": (
        "`local` is whoever judges on the machine at hand and says no more of himself. Somebody whose signature is "
        "believed is known, so a role is: `ci`, `maintainer` or `contributor`."
    ),
    "bad-signer-key": (
        "A signer is known by one public key as ssh writes it: its type and its text, without options and comment. "
        "`cut -d' ' -f1,2 ~/.ssh/id_ed25519.pub` prints it."
    ),
    "evidence-not-counted": (
        "release.json says under `policy` whose measurements are evidence, and this record was made by somebody else. "
        "It is kept and shown, and the gate is undecided until one of those who count has measured the same, here or "
        "elsewhere with a signature that release.json trusts."
    ),
    # witnesses and testimonies
    "witness-without-role": (
        "STACKPROOF_WITNESS says who measures: a role that policies know (`ci`, `maintainer`, `contributor`, `local`) "
        "and, if you like, a name. What is written there does not begin with a role, so nobody could say whether it "
        "counts."
    ),
    "unknown-record": (
        "No record of evidence has this key, or several begin like it. `stackproof gate --why GATE` names the records "
        "that a gate rests on, `stackproof evidence show` the kinds that there are."
    ),
    "nothing-to-export": (
        "Evidence is exported, not made: what the gates rest on must have been measured on this machine before. Run "
        "`stackproof gate`, with `--hardware` where the gates need this machine."
    ),
    "signing-failed": (
        "`ssh-keygen -Y sign` did not make a signature with the key: it is not there, its passphrase was not given, "
        "or the agent does not have it. Nothing was written."
    ),
    "ssh-keygen-missing": (
        "Signatures on evidence are made and checked by OpenSSH's ssh-keygen, which is not on PATH. On Debian it "
        "comes with the package openssh-client."
    ),
    "signature-missing": (
        "Foreign evidence is taken with its signature alone: without one anybody could have written it. The signature "
        "lies beside the file under the same name and `.sig`, or is named by `--signature`."
    ),
    "signature-unreadable": (
        "The signature is not an ssh signature: it is cut off, or another file. Get it again from whoever exported "
        "the evidence."
    ),
    "signature-namespace": (
        "An ssh signature is made for one use. This one was made for another than evidence, perhaps for a git commit "
        "or a mail, and somebody may have signed it without knowing what of."
    ),
    "signature-other-key": (
        "The file names a signer of release.json, and the signature was made with another key than release.json gives "
        "him. Ask the signer; a new key is written into release.json by a maintainer."
    ),
    "signature-wrong": (
        "The signature was made by the right key, and not over these bytes: the file was altered after it was signed, "
        "or signature and file do not belong together. Nothing was taken."
    ),
    "signer-unknown": (
        "release.json names everybody whose signature on evidence is believed, under `policy`, `evidence`, `signers`. "
        "This one is not there. A maintainer adds the signer with a role and a public key, or does not."
    ),
    "testimony-unreadable": (
        "The file is not what `stackproof evidence export` writes, or was changed: another form, a record that is not "
        "whole, or one that somebody else is said to have made. Nothing was taken."
    ),
    "testimony-misattributed": (
        "The file says that its signer measured in another role than release.json gives him, so its records say so, "
        "too. Export it anew, with the role as it is declared."
    ),
    "testimony-contradicts": (
        "Evidence was imported for a measurement that is known here already, and it observed something else. For "
        "times that is how they are; token ids, texts and builds should be equal. Compare the two, and measure again "
        "with `--fresh` where you doubt yours."
    ),
    "file-missing": (
        "A file that was named is not there. `stackproof evidence export` writes the evidence and its signature on "
        "the machine that measured."
    ),
    # questions
    "mutant-survives": (
        "The block or fold was left out, everything was built without it, and every gate that concerns it passed: "
        "nothing would tell if it were lost, broken or compiled out. Declare a gate in its block.yaml that shows what "
        "it does."
    ),
    "mutant-undecided": (
        "The block or fold was left out, and no gate went red, but some could not be decided. Look at why with "
        "`stackproof gate`, then ask again."
    ),
    "bisect-needless": (
        "The gate looks at files, trees or builds and names the fold that is at fault by itself. Bisecting is for "
        "gates on what the engine does."
    ),
    "bisect-undecided": (
        "Bisecting needs a gate that is red on the whole stack. This one is neither red nor green there, and its "
        "reason is told: put that right first."
    ),
    "bisect-not-monotone": (
        "Going up the stack the gate was red, then green, then red again, so more than one fold turns it. The last "
        "turn is told, and the earlier ones are named."
    ),
    "part-of-a-stack": (
        "A mutant, or a state of a bisection, holds some folds of the stack alone. It is built and run like a "
        "release, and is none, so nothing that files and trees decide is asked of it."
    ),
    # bundles
    "bundle-testimony-unsound": (
        "A testimony in the bundle is not what a signer of release.json signed: another form, another signer or role, "
        "or a signature that is not over these bytes. What it vouches for is worth nothing. Do not use the bundle."
    ),
    "bundle-testimony-missing": (
        "A record says that a signer of release.json made it, and no testimony with his signature is there which has "
        "it. Anybody could have written that. Do not use the bundle."
    ),
    "bundle-evidence-not-counted": (
        "A record in the bundle was made by somebody whose measurements release.json does not count as evidence, so "
        "the verdict rests on a claim. Do not use the bundle before its maker has measured again."
    ),
    "bundle-waiver-unfounded": (
        "The verdict in the bundle says that findings are waived, and deviations.json has no deviation that covers "
        "them and stands for this release. Somebody made the verdict milder than it was. Do not use the bundle."
    ),
    "bundle-debt-unfounded": (
        "The verdict defers a gate to hardware that release.json does not name, or that the gate does not ask for. A "
        "gate could be kept from failing in this way. Do not use the bundle."
    ),
}

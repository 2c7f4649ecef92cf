"""What each code of accepted deviations, of evidence and of those who measure means."""

EXPLANATIONS: dict[str, str] = {
    # the register
    "deviation-too-wide": (
        "An accepted deviation names what was seen: the code of the finding, and what the finding names (a path, a "
        "prompt, a model, a test case). Without both it would also cover whatever the gate finds next, and so waive "
        "the whole gate. The names are the words in backticks of the finding's message and notes, and its file."
    ),
    "deviation-not-waivable": (
        "The gate says whether the release is what it promises to be: its trees, its paths, its register. Accepting "
        "what it finds would only move the failure to whoever checks the bundle. Correct what it finds; trees that "
        "are meant to differ are recorded by `stackproof pin`."
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
    # bundles
    "bundle-waiver-unfounded": (
        "The verdict in the bundle says that findings are waived, and deviations.json has no deviation that covers "
        "them and stands for this release. Somebody made the verdict milder than it was. Do not use the bundle."
    ),
    "bundle-debt-unfounded": (
        "The verdict defers a gate to hardware that release.json does not name, or that the gate does not ask for. A "
        "gate could be kept from failing in this way. Do not use the bundle."
    ),
}

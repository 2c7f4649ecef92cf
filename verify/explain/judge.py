"""What each code of gates, evidence and the judge means."""

EXPLANATIONS: dict[str, str] = {
    # trees
    "no-reference": (
        "release.json and blocks/lock.json record no trees yet, so there is nothing that the derived trees could be "
        "held to. `stackproof pin` writes them and shows what it wrote."
    ),
    "base-tree-differs": (
        "The imported base is not the tree that release.json records. Every fold was made on the recorded tree, so "
        "nothing after it means what it says. Usually `base` was moved to another upstream and the stack was not "
        "pinned again."
    ),
    "stack-stuck": (
        "A fold does not go on the tree it meets, so that no tree exists from there on: nothing can be built or run. "
        "The gate `tree-equal` shows which hunk and why."
    ),
    "stack-incomplete": (
        "Fewer or other folds were derived than the blocks declare. A fold that is silently left out makes a release "
        "that lacks what its papers say, so this is refused even when every derived tree looks right."
    ),
    "lock-folds-differ": (
        "blocks/lock.json names other folds than the blocks declare, or in another order. The lock is written by "
        "`stackproof pin` and never by hand; run it when folds were meant to change."
    ),
    "tip-tree-differs": (
        "The stack gives another tip tree than release.json promises. If single folds differ too, begin with the first "
        "of them. If none does, the promise itself was changed or is stale."
    ),
    "tip-commit-differs": (
        "The tip commit is not the promised one although commits are deterministic. The tree may be right: then an "
        "author, a date, a message or the upstream commit changed. Compare the folds in block.yaml, then pin."
    ),
    "git-derives-another-tree": (
        "Trees are derived twice, in memory and by git itself from the same patch bytes, and the two differ. One of "
        "them applies the patch wrongly, so neither is believed. Keep the patch: stackproof or git has a defect."
    ),
    # patches
    "path-unsafe": (
        "A fold names a path that leaves the tree or reaches into `.git`. Such a patch could write anywhere on the "
        "machine of whoever applies it. Nothing of it is used."
    ),
    "path-not-portable": (
        "A fold brings a path that some system cannot hold: a reserved Windows name, a colon, a final dot, bytes that "
        "are not UTF-8. One such file makes the whole repository impossible to check out there. Rename it in the fold."
    ),
    "path-collides": (
        "A fold brings a path that differs from another one only by case or Unicode form. On file systems that do not "
        "tell them apart one of the two files overwrites the other. Choose another name."
    ),
    "symlink-leaves-tree": (
        "A fold brings a symbolic link that points out of the tree. Whoever builds the tree would read or write "
        "files of their own machine through it."
    ),
    "submodule-brought": (
        "A fold brings a submodule. Its content is in no tree of the release, so it could not be proven, packed or "
        "built offline. Bring the files themselves."
    ),
    "added-carriage-return": (
        "An added line holds or ends in a carriage return although the lines around it do not. Mixed line ends break "
        "scripts and make every later patch of that file ambiguous."
    ),
    "added-trailing-space": (
        "An added line ends in white space. It is noise for every reviewer and a conflict for the next change there. "
        "In Markdown two final spaces are a line break and allowed."
    ),
    "added-space-before-tab": (
        "The indent of an added line has a space before a tab, which looks different in every editor."
    ),
    "added-conflict-marker": (
        "An added line is a conflict marker: a conflict was committed half resolved. Resolve it in the fold."
    ),
    "added-no-final-newline": (
        "A fold leaves a file without a line end on its last line. The next line that anybody adds there changes this "
        "one too, and tools that work by lines may drop it."
    ),
    "fold-strays": (
        "A fold changes a path that its block does not own. Then a block cannot be judged, reviewed or dropped by "
        "itself, and a fix ends up in the wrong block. Move the hunks to the owner, or add the path to `owns`."
    ),
    "tombstone-returns": (
        "A fold adds a line that holds what was dropped on purpose; the tombstone says by which fold and why. It "
        "comes back most often with a new revision of an old submission. Take those lines out of the fold; if the "
        "reason does not hold any more, remove the tombstone from block.yaml or release.json, where everybody sees it."
    ),
    # builds
    "not-built": (
        "A build that a gate needs was not made, so the gate is undecided: not built is not proven. `stackproof build` "
        "makes it."
    ),
    "arm-not-built": (
        "A gate needs to run a build that failed, so nothing ran. The gate `build` shows its first error and owner."
    ),
    "no-proofs": (
        "No configuration asks for a proof build, so the gate would pass without a single build. Give a configuration "
        "`proofs`, such as `prefix`."
    ),
    "proof-not-made": (
        "A proof that is asked for was not made: no tree was laid for it, or no configuration proves blocks alone. "
        "Silently leaving it out would look like success, so the gate is undecided until it is made."
    ),
    "block-does-not-stand-alone": (
        "On the base with what it requires, and nothing else of the stack, the block does not build. In the stack an "
        "earlier block happens to bring what it needs. Where that can be read off the errors, `requires-missing` "
        "names it; add it to `requires`, or mend the block."
    ),
    "requires-missing": (
        "An error of a block alone misses a name that another, earlier block brings and that is not in `requires`. "
        "Dropping or moving that block would then break this one unseen. The place of use and the bringing line of "
        "the patch are named; add the block to `requires`."
    ),
    "forward-reference": (
        "A block uses a name that only a later block brings, so that the stack does not build up to here and cannot be "
        "bisected. Move the line that brings it down to this block or below it, or move this block up."
    ),
    "not-compared": (
        "A gate needs the binary interfaces of two builds compared, and that was not done, so the gate is undecided. "
        "`stackproof gate` does it."
    ),
    "abi-breaks": (
        "With this block a library lacks or changes what programs rely on that were built against the one below. They "
        "must be built anew, and may fail in odd ways until they are. Keep the old symbols; where the break is meant, "
        "name the block in the gate's `may_break`, where every reader sees it."
    ),
    "requires-unneeded": (
        "A block requires another one, and is none the worse without it: it has its place and builds in every "
        "configuration that proves blocks alone, or another requirement brings it anyway. A needless requirement "
        "forbids changes of order and drops that would be safe. Remove it; what is needed only when the program runs "
        "belongs into `claims`."
    ),
    "base-does-not-build": (
        "The base itself, with no block applied, does not build. No block is to blame: upstream, the toolchain or the "
        "configuration is. Nothing about blocks can be said before this builds."
    ),
    "block-does-not-build": (
        "The stack builds below this block and not with it, even if a later block mends it. Each prefix must build, or "
        "a block cannot be bisected, dropped or carried by itself. The first error is shown; the whole log is named."
    ),
    "build-made-nothing": (
        "A build says that it went well and left no program or library. Then nothing was proven: look at the targets "
        "of the configuration."
    ),
    "build-incomplete": (
        "A build failed half way, so that not all of its warnings are known and comparing them would mislead."
    ),
    "new-warning": (
        "A block brings a compiler warning that the tree below it does not have. Lines are not compared, since they "
        "move; a second warning of the same text in the same file counts. Mend the code in this block."
    ),
    # evidence
    "evidence-damaged": (
        "A stored record is not what was written: its digest, its form or its key is wrong. It is not used and counts "
        "as not measured; measuring again replaces it."
    ),
    "evidence-unwritable": (
        "A measurement was made and its record cannot be written, usually because the disk is full or the cache folder "
        "is not writable. Older records are untouched. After mending that, the measurement is made again."
    ),
    "not-probed": (
        "A measurement that a gate needs was not made, so the gate is undecided: not run is not passed. "
        "`stackproof gate` runs what is missing."
    ),
    "session-incomplete": (
        "A recorded session lacks arms, answers or the list of what was loaded. What it does have proves nothing by "
        "itself, so it is not used at all. Measure it again."
    ),
    # what the engine said
    "no-cases": (
        "A gate has no prompt with any text, so it would compare nothing and pass. Give it at least one real prompt."
    ),
    "golden-differs": (
        "The tip does not give what upstream gives at the same base under the same settings. Both were run in one "
        "session, so the recording is not stale. The first token that differs is shown with both ids; if the change is "
        "meant, it needs a switch whose off arm equals upstream."
    ),
    "text-degenerate": (
        "An answer is no text: no tokens, one token over and over, too few different ones, empty or broken characters. "
        "Two arms can be equal and both broken, so this fails by itself."
    ),
    "off-arm-differs": (
        "With its switch off the block does not give what the block below it gives. A switch must restore the old "
        "behaviour exactly, or nobody can tell a defect of the feature from one of the switch."
    ),
    "on-arm-differs": (
        "The feature changes the text although it promises not to. The first token that differs is shown; near ties "
        "that flip count too, since users see them."
    ),
    "arm-without-effect": (
        "The switch is on, the feature was exercised, and its log line never came. The feature is compiled out, the "
        "switch is not read, or the session does not reach it: in each case equal results prove nothing."
    ),
    "effect-without-switch": (
        "The feature's log line came where the feature must not act. Either the switch is read and ignored, or the "
        "line is printed without the feature; the proof of the switch's effect is worth nothing then."
    ),
    "effect-with-unified-cache": (
        "The feature acts with a unified cache, where the order of service decides which cells a sequence gets and "
        "so can change its text. It must keep the old order there."
    ),
    "no-such-arm": (
        "The gate names a switch that its block does not declare, or the stack is stuck. The two arms of a switch run "
        "on the tip, so without them there is nothing to compare."
    ),
    "no-tokens": "An arm gave no token to a prompt. Two empty answers are equal and prove nothing.",
    "answer-cut-short": (
        "An answer has fewer tokens than were asked for although the end-of-text token is ignored, or is missing in a "
        "round. Equal beginnings do not prove equal answers."
    ),
    "scenario-without-effect": (
        "With the switch off the session does not show the very behaviour that the feature is about: nothing waits, or "
        "nothing is saved again. Then on and off cannot differ. Change the sizes until the off arm shows it."
    ),
    "warm-still-waits": (
        "With the switch on about as many batches of the long prompt are read before the short request's first token "
        "as with it off. This counts batches and no time, so noise cannot explain it."
    ),
    "checkpoint-superseded": (
        "With the switch on checkpoints are still saved over the position that was just restored, more often than the "
        "gate allows."
    ),
    # times
    "rounds-missing": "A round lacks the times of an arm. Pairs are compared within their round, so all must be there.",
    "time-degenerate": "A measured time is zero or no number, so no ratio of it means anything: the probe is broken.",
    "ratio-too-large": (
        "The whole interval of a paired ratio lies beyond its bound: this is slower than allowed and no noise. The "
        "processor's clock counts what the engine computed, the wall's what a user waits."
    ),
    "noise-too-large": (
        "The interval of a paired ratio lies across its bound, so nobody can say on which side it is. The gate is "
        "undecided, never passed. Measure on a quieter machine, or allow more rounds."
    ),
    # the list of gates
    "no-required-gates": (
        "The release declares no required gate. What always applies (trees, paths, ownership, builds) was checked, and "
        "nothing was asked about how the engine behaves, so nobody can say that the release holds."
    ),
}

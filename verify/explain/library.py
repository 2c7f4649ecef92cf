"""What each code of calling the engine's library means."""

EXPLANATIONS: dict[str, str] = {
    "no-bindings": (
        "Logits, states and single operations are asked of the engine's library through the ctypes bindings that the "
        "base's own source distribution carries, so that both are of the same source. This base carries none. Gates "
        "that need the library are undecided; give the release a base of kind `sdist`, or measure by the server."
    ),
    "bindings-do-not-fit": (
        "The bindings expect structures of another size, functions that the library lacks, or settings that it did not "
        "understand. Such a pair computes garbage without a crash, so nothing is computed. A block that changes a "
        "public structure looks like this: keep what was there, or the bindings' users break as well."
    ),
    "library-died": (
        "The process that called the library ended by itself: a crash, an assertion, a failed allocation, or too much "
        "output. The signal or status and the last lines of its log are shown."
    ),
    "library-killed": (
        "The process that called the library was killed from outside, by a person or by the system for want of memory. "
        "This says nothing about the engine; run again with more memory free."
    ),
    "library-silent": (
        "The library did not finish in time, so its process was ended. An endless loop looks like this, and so does a "
        "machine that is far too busy."
    ),
    "library-refused": (
        "The library said no to something that is within the limits of the probe's own settings: it loads no model, "
        "makes no context, or decodes no batch. Its last lines are shown."
    ),
    "logits-differ": (
        "Some logits of the tip are not those of upstream at the same base, beyond the declared bound. The first "
        "position is named; `stackproof trace GATE` names the first operation of the graph that differs. Where the "
        "difference is meant, declare `max_difference` with its reason."
    ),
    "logits-degenerate": (
        "There are no logits, or such as prove nothing when they are equal: not finite, all alike within a row, or the "
        "same at every position."
    ),
    "axis-differs": (
        "How tokens are batched, on how many threads or with what seed they are computed, changed a logit. So what is "
        "generated depends on what else the engine did at the time, and speculative decoding can change text. The "
        "first position is named; `stackproof trace GATE` names the first operation whose result differs."
    ),
    "axis-without-teeth": (
        "The gate says that with the block's switch off the axis is not uniform, and it is. So the gate would pass "
        "without the block as well, and proves nothing about it."
    ),
    "axis-reference-moved": (
        "The block promises that the reference stays as it was, and made the axis uniform by changing it: with the "
        "switch on, the reference value gives other logits than the block below."
    ),
    "run-differs": (
        "The same prompts in a new process gave other logits, with every setting the same. Something that is not "
        "pinned decides: memory that was never written, a race between threads, an address that became a number."
    ),
    "state-refused": (
        "The engine did not take back a state that it had saved itself, into a context with the same settings."
    ),
    "state-empty": "A saved state has no bytes, or nothing was computed after it, so that nothing was compared.",
    "state-not-repeatable": (
        "A state that was restored and saved again is not the same bytes. Something was dropped, moved or changed on "
        "the way, even where the next tokens happen to be the same."
    ),
    "state-continues-otherwise": (
        "After a restore the engine computes other logits than the context that the state was saved from. Where cells "
        "of a shared cache lie elsewhere afterwards, sums are taken in another order and a small difference is "
        "allowed (`moved_difference`); elsewhere not one bit is."
    ),
    "memory-over-upstream": (
        "The tip takes more memory than upstream at the same base and the declared slack. Where that is meant, declare "
        "the slack with its reason."
    ),
    "memory-over-budget": "The tip takes more memory than the bound that the gate declares.",
    "memory-not-given-back": (
        "Each context that is made, used and freed leaves more resident memory behind than with upstream: a leak. The "
        "sizes after every cycle are shown."
    ),
    "server-memory-over-upstream": (
        "After the same requests the tip's server holds more memory of its own than upstream's at the same base and "
        "the declared slack. Where a block keeps something on purpose, declare `size_slack_kib` with its reason."
    ),
    "server-memory-grows": (
        "A server that is asked the same again and again holds more after every cycle, and upstream's does not: what a "
        "request, a slot or a checkpoint left behind is not given back. The sizes after every cycle are shown."
    ),
    "operation-differs": (
        "An operation of the graph gives another result than upstream's at the same base. It is the first in the order "
        "of computing, so look at its code and at what it reads; later ones mostly follow from it."
    ),
    "gate-not-traceable": (
        "`stackproof trace` computes again what a gate compares, with every operation's result written down. This gate "
        "compares no tokens or logits of single sequences, so there is nothing of that kind to look into."
    ),
    "unknown-arm": "The gate has no arm or variant of that name; those that it has are named.",
    "graph-differs": (
        "The tip computes other operations than upstream. Where a block is meant to change the graph, say "
        "`same_graph: false`; the operations that both have are compared all the same."
    ),
}

"""What each code of counting, timing and comparing probabilities means."""

EXPLANATIONS: dict[str, str] = {
    # programs
    "program-not-starting": (
        "A program of the build cannot be run at all: it is no program, or the system refuses it. Its path is named; "
        "look at the file and at the build's log."
    ),
    "program-failed": (
        "A program of the build ended with an error, so it measured nothing. Its last lines are shown. Behind "
        "callgrind SIGILL means that the build has code which the emulated processor lacks, AVX-512 above all: count "
        "on a configuration without it."
    ),
    "program-killed": (
        "A program was killed from outside, by a person or by the system for want of memory. This says nothing about "
        "the engine; run again with more memory free."
    ),
    "program-endless": (
        "A program did not end in its time and was ended. A deadlock looks like this, and so does a machine that is "
        "far too busy."
    ),
    "program-unwatched": (
        "A program told of the parts of its run, and every line was read only after its end, so that their processor "
        "time cannot be told apart. The machine is far too busy, or the program far too short. The gate is undecided."
    ),
    "output-unreadable": (
        "A program ended well and what it printed is not what it prints: a figure is missing or no number, a test or "
        "a window is not there, or it ran with other settings than asked for. Zero is never read out of nothing. The "
        "note says what was met; where upstream changed the form, the reader must follow."
    ),
    "valgrind-missing": (
        "Instructions are counted by valgrind's callgrind, which is not on this machine. The gate is undecided until "
        "it is installed; times cannot stand in for counts, since they do not see a few per cent."
    ),
    "text-damaged": (
        "A text that a measurement reads has another SHA-256 than the package says. Figures over another text are "
        "other figures, so nothing is read. Install the package anew."
    ),
    # counts and times
    "speed-of-wrong-output": (
        "The tip does not give upstream's tokens and probabilities, so its speed is the speed of a wrong answer and "
        "is not judged at all. See the gate that compares output; mend that first."
    ),
    "arms-are-one-build": (
        "The builds of both arms hold the very same bytes, so that every figure is compared with itself and would "
        "pass. The stack changes nothing that is built, or one build was put in place of the other."
    ),
    "count-degenerate": (
        "A count is zero, is missing, or belongs to another number of tokens than was asked for. Nothing divided by "
        "nothing is no ratio; the probe or the program is broken."
    ),
    "count-ratio-too-large": (
        "The tip takes more instructions than the bound allows, even its lowest count against upstream's highest. "
        "Counts hardly vary, so this is no noise. Loading, reading prompts and writing tokens are told apart; compare "
        "callgrind's own listing of both builds to find the function."
    ),
    "counts-not-repeatable": (
        "Counts of the same build differ from run to run by more than a tenth of what the bound allows, or lie on "
        "both sides of it. Something depends on addresses, threads, time or random numbers, and until it is found "
        "nobody can judge by counts."
    ),
    # probabilities
    "foreign-baseline": (
        "The baseline was made of another model, text, tokenizer, window or batch shape than the gate asks for. Even "
        "another batch shape alone changes probabilities, so comparing would show a difference that means nothing. "
        "The gate is undecided; measure anew."
    ),
    "tokenizer-differs": (
        "An arm cuts the text into other tokens than upstream does. The comparison takes its tokens from the baseline "
        "and would never notice, yet every user of this build gets other answers."
    ),
    "windows-missing": (
        "Fewer windows of the text were compared than asked for. What was left out may be where the difference is."
    ),
    "divergence-too-large": (
        "Over the text the tip's probabilities are not upstream's within the declared rule: mean and maximum "
        "divergence in nats, and how often the most probable token is the same. Under the exact rule every figure "
        "must be the one that upstream gives against itself. The tensor trace finds the first operation that differs."
    ),
    "known-good-fails": (
        "Upstream compared with its own baseline is outside the bound. A comparison that fails a good build says "
        "nothing about another one: something varies from run to run, or the bound is narrower than the baseline's "
        "rounding."
    ),
    "known-bad-passes": (
        "Upstream with a wrong term on purpose is within the bound. A comparison that passes a bad build would pass "
        "the tip as well, so the gate is undecided. Choose metadata that the model really uses, more windows, or a "
        "narrower bound."
    ),
}

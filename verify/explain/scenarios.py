"""What each code of the scenarios on the engine's server means."""

EXPLANATIONS: dict[str, str] = {
    "log-empty": (
        "An arm wrote no log at all. A line that must not come cannot be missed in an empty log, so nothing was shown. "
        "The log may be switched off, or written elsewhere."
    ),
    "log-line-missing": (
        "A line that must come is not in the log, or not often enough. The feature did not act: it is compiled out, "
        "its switch is not read, or what the gate does gives it nothing to do."
    ),
    "log-line-too-often": "A line comes more often than declared: the feature acts where it should not, or twice.",
    "log-line-unasked": (
        "A line comes on an arm that must not have it: a feature acts, or says that it acts, with its switch off or "
        "where upstream says nothing of the kind."
    ),
    "slot-not-restored": (
        "A slot was saved to a file, and a new server did not take the file back or took back another number of "
        "tokens. What the engine answered stands in the notes."
    ),
    "slot-read-again": (
        "The slot should go on from what it holds, and the engine reads the prompt again: it reuses far fewer tokens "
        "than the live slot does. A restore that reports success and is then not used looks exactly like this. Memory "
        "that cannot step back (recurrent, sliding window) needs its checkpoints beside the state."
    ),
    "conversation-read-again": (
        "A conversation goes on, and the engine reads again what it held of it: the slot was cleared, or its state did "
        "not come back from the cache of prompts. Where the cache has room for one conversation alone, the other one "
        "must be moved out before the first comes back."
    ),
    "slot-text-differs": (
        "Going on from a file gives other tokens or probabilities than going on from the live slot. The state that "
        "came back is another one, or the prompt was read again in other pieces."
    ),
    "slot-file-differs": (
        "A restored slot that is saved at once gives another file, so something was lost or added on the way."
    ),
    "slot-damage-untried": (
        "The session did not try every kind of damage, so that nobody knows whether such a file is refused."
    ),
    "slot-file-breaks-engine": (
        "A damaged file ended the whole server, with every other slot in it. Files are input: sizes and counts must be "
        "checked before they are used, and a file that is wrong must be refused."
    ),
    "slot-file-not-refused": (
        "A file that is cut off, spoiled or no slot's at all was taken as if nothing were wrong. What the slot then "
        "holds is nobody's conversation."
    ),
    "older-slot-file-refused": (
        "A file that the build below (or upstream) saved does not load any more. Users keep such files over an update; "
        "a new form must read the old one."
    ),
}

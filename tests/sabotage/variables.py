"""Variables of the environment that the code and the declarations do not agree on."""

from dataclasses import replace

from tests.gates.good import QUEUE_FILE, change, reading
from tests.sabotage.ways import broken, patched, unknown

OTHER = b'int n = atoi(getenv("QUEUE_SIZE"));\n'
PRESENT = b'if (getenv("QUEUE") != nullptr) {\n'

SABOTAGES = (
    broken(
        "a variable is read that no block declares",
        "switches",
        "switch-undeclared",
        patched(change(QUEUE_FILE, *reading(b"QUEUE"), OTHER)),
    ),
    broken(
        "a declared switch is never read", "switches", "switch-never-read", patched(change(QUEUE_FILE, b"rotate\n"))
    ),
    broken(
        "a switch is asked for its presence alone",
        "switches",
        "switch-presence-only",
        patched(change(QUEUE_FILE, PRESENT)),
    ),
    unknown(
        "nobody counted the tip's lines",
        "switches",
        "lines-not-counted",
        lambda case: replace(case, line_counts=None),
    ),
)

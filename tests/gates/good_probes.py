"""What a well-behaved engine shows for needs of probes other than sessions of answers, by the probe's name."""

from collections.abc import Callable, Mapping

from tests.gates.good_library import good_logits, good_memory, good_state, good_trace
from tests.gates.good_numbers import good_counts, good_divergence, good_speed
from tests.gates.good_programs import good_command, good_config_dump
from tests.gates.good_served import good_served_memory
from tests.gates.good_slots import good_slot_files
from tests.gates.good_switch import good_slot_switch
from tests.gates.good_tests import good_test_set
from verify.model.evidence import ProbeNeed
from verify.model.observation import ProbeObservation

RUNS: Mapping[str, Callable[[ProbeNeed], ProbeObservation]] = {
    "slot-files": good_slot_files,
    "slot-switch": good_slot_switch,
    "test-set": good_test_set,
    "config-dump": good_config_dump,
    "command": good_command,
    "logits": good_logits,
    "state": good_state,
    "memory": good_memory,
    "served-memory": good_served_memory,
    "trace": good_trace,
    "counts": good_counts,
    "speed": good_speed,
    "divergence": good_divergence,
}

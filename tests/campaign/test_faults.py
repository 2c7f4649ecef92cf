"""The catalogue of planted faults asks gates that there are, and the page shows the campaign that is stored."""

from collections import Counter

from benchmarks.render_faults import PAGE, stored_page
from tests.campaign.faults.catalogue import FAULTS
from tests.campaign.faults.fault import OURS
from verify.gates.battery import gates_of
from verify.manifest.read import read_release


def test_there_are_thirty_faults_and_more_each_with_a_name_of_its_own() -> None:
    assert len(FAULTS) >= 30
    assert [name for name, times in Counter(fault.name for fault in FAULTS).items() if times > 1] == []


def test_every_fault_is_asked_of_a_gate_that_the_release_or_the_fault_declares() -> None:
    gates = gates_of(read_release(OURS))
    names = {f"{gate.block}/{gate.name}" if gate.block else str(gate.name) for gate in gates}
    assert [fault.name for fault in FAULTS if fault.gate not in names | set(fault.declares)] == []


def test_the_page_is_what_the_stored_results_give() -> None:
    assert PAGE.read_text("utf-8") == stored_page()

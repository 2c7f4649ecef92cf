"""The faults: each one that a real fork has shipped, or that a gate of ours claims to notice."""

from tests.campaign.faults.built import BUILDS, COSTS, OWN_TESTS
from tests.campaign.faults.results import KERNELS, STATES
from tests.campaign.faults.served import ANSWERS, SWITCHES

FAULTS = (*KERNELS, *STATES, *SWITCHES, *ANSWERS, *COSTS, *BUILDS, *OWN_TESTS)

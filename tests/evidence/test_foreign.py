"""Which records of another machine answer what a gate needs, and which only look like it."""

from dataclasses import replace

import pytest

from builder.foreign import Import, answered
from tests.gates.good import MODEL, good_build, good_case, good_run, probe_of
from verify.evidence import make_key
from verify.gates.case import Elsewhere
from verify.model.evidence import BuildNeed, Evidence, Key, ProbeNeed
from verify.model.ids import ReleaseName, Sha256, TreeId
from verify.model.observation import encode_observation
from verify.model.trust import Role
from verify.probe.engine import build_identity
from verify.probe.machine import Machine
from verify.probe.run import probe_key
from verify.testimony import Testimony as Document  # pytest would take the name for a test

THERE = Machine(architecture="riscv64", processor="some accelerator")
DIGEST = Sha256("5" * 64)
NEED = probe_of(good_case(), "golden")
BUILDS = tuple(arm.build for arm in NEED.arms)


def key_here(need: BuildNeed) -> Key:
    return make_key("build", {"tree": need.tree, "options": "A=1", "toolchain": "gcc here", "machine": "x86_64"})


def key_there(need: BuildNeed) -> Key:
    return make_key("build", {"tree": need.tree, "options": "A=1", "toolchain": "clang there", "machine": "riscv64"})


def record(key: Key, observation: object) -> Evidence:
    return Evidence(
        key=key,
        observation=encode_observation(observation),
        made_by="ci box",
        made_on="there",
        made_at="2026-11-30T00:00:00Z",
        seconds=1.0,
    )


BUILT = {need: record(key_there(need), good_build(need.tree)) for need in BUILDS}


def session(need: ProbeNeed = NEED, model: Sha256 = DIGEST) -> Evidence:
    made = {build: build_identity(key_there(build), good_build(build.tree)) for build in BUILDS}
    return record(probe_key(need=need, builds=made, model=model, machine=THERE), good_run(NEED))


def taken(*records: Evidence) -> Elsewhere:
    document = Document(
        signer="box",
        role=Role.CI,
        hardware="gpu",
        release=ReleaseName("r"),
        tip_tree=TreeId("a" * 40),
        records=records,
    )
    return answered(
        needs=(NEED,),
        builds=BUILDS,
        imports=(Import(digest=DIGEST, testimony=document, counts=True),),
        build_key=key_here,
        models={MODEL: DIGEST},
        so_far=Elsewhere(),
    )


def test_records_of_another_toolchain_and_machine_answer_the_same_question() -> None:
    found = taken(*BUILT.values(), session())
    assert set(found.builds) == set(BUILDS)
    assert {each.made_by for each in (*found.builds.values(), *found.probes.values())} == {"ci box"}
    assert found.probes[NEED].key == session().key.digest


@pytest.mark.parametrize(
    "other",
    [
        session(replace(NEED, settings=(*NEED.settings[1:], ("tokens", "1")))),
        session(model=Sha256("6" * 64)),
        session(replace(NEED, probe="warm-behind-cold")),
    ],
    ids=["settings", "model", "probe"],
)
def test_a_session_with_another_question_answers_nothing(other: Evidence) -> None:
    assert taken(*BUILT.values(), other).probes == {}


def test_a_session_whose_builds_are_not_in_the_testimony_answers_nothing() -> None:
    (first, _) = BUILT.values()
    found = taken(first, session())
    assert (len(found.builds), found.probes) == (1, {})


def test_a_build_with_other_options_answers_nothing() -> None:
    key = make_key("build", {"tree": BUILDS[0].tree, "options": "A=2", "toolchain": "x", "machine": "y"})
    assert taken(record(key, good_build(BUILDS[0].tree))).builds == {}


def test_a_session_on_other_builds_of_the_same_trees_answers_nothing() -> None:
    rebuilt = tuple(record(key_there(need), replace(good_build(need.tree), artifacts=())) for need in BUILDS)
    assert taken(*rebuilt, session()).probes == {}

"""Builds that fail, warn, make nothing, or were not made."""

from collections.abc import Callable
from dataclasses import replace

from tests.gates.good import (
    AFTER_CACHE,
    AFTER_QUEUE,
    BASE,
    CACHE,
    CACHE_ALONE,
    QUEUE,
    alone_tree,
    failed_build,
    good_alone,
    good_build,
    with_build,
)
from tests.sabotage.ways import Way, broken, rebuilt, redeclared, unbuilt, unknown
from verify.gates.case import Case
from verify.model.observation import BuildObservation, CompilerMessage
from verify.model.release import Proof


def warned(line: int) -> Callable[[BuildObservation], BuildObservation]:
    """It warns once more."""
    message = CompilerMessage(file="src/queue.cpp", line=line, text="comparison of integers", flag="-Wsign-compare")
    return lambda build: replace(build, warnings=(*build.warnings, message))


def proofs(*names: Proof) -> Way:
    """The configurations ask for other proofs."""
    return redeclared(
        lambda release: replace(
            release, configurations=tuple(replace(each, proofs=names) for each in release.configurations)
        )
    )


def stands_on_less(case: Case) -> Case:
    """The second block is laid without the first one and does not build so."""
    return replace(case, alone=(*good_alone()[:1], alone_tree(CACHE, None, (), CACHE_ALONE)))


def broken_interface(case: Case) -> Case:
    """Every comparison finds a function that is gone."""
    return replace(
        case,
        abi={
            need: replace(
                each,
                observation=replace(
                    each.observation,
                    libraries=tuple(replace(library, incompatible=True) for library in each.observation.libraries),
                ),
            )
            for need, each in case.abi.items()
        },
    )


SABOTAGES = (
    broken("a block does not build", "builds", "block-does-not-build", rebuilt(AFTER_QUEUE, failed_build)),
    broken("the base does not build", "builds", "base-does-not-build", rebuilt(BASE, failed_build)),
    broken(
        "a build leaves nothing",
        "builds",
        "build-made-nothing",
        rebuilt(AFTER_CACHE, lambda build: replace(build, artifacts=())),
    ),
    broken("no proof is asked for", "builds", "no-proofs", proofs()),
    unknown("a prefix was not built", "builds", "not-built", unbuilt(AFTER_QUEUE)),
    unknown("a proof was not made", "builds", "proof-not-made", lambda case: replace(case, alone=None)),
    broken("a block does not stand alone", "builds", "block-does-not-stand-alone", stands_on_less),
    broken(
        "a requirement is needless",
        "requirements",
        "requires-unneeded",
        rebuilt(CACHE_ALONE, lambda _: good_build(BASE)),
    ),
    broken(
        "a requirement is implied by another",
        "requirements",
        "requires-unneeded",
        lambda case: replace(case, alone=(*good_alone()[:2], alone_tree(CACHE, QUEUE, (QUEUE,), AFTER_CACHE))),
    ),
    unknown("a tree without a requirement was not built", "requirements", "not-built", unbuilt(CACHE_ALONE)),
    broken("a block breaks an interface", "interfaces", "abi-breaks", broken_interface),
    unknown("interfaces were not compared", "interfaces", "not-compared", lambda case: replace(case, abi={})),
    unknown("nothing was laid alone", "requirements", "proof-not-made", lambda case: replace(case, alone=None)),
    broken("a block brings a warning", "warnings", "new-warning", rebuilt(AFTER_QUEUE, warned(9))),
    broken(
        "a block brings a second warning of the same text",
        "warnings",
        "new-warning",
        lambda c: with_build(with_build(c, AFTER_QUEUE, warned(9)), AFTER_CACHE, lambda b: warned(9)(warned(80)(b))),
    ),
    unknown("warnings of a prefix are not known", "warnings", "not-built", unbuilt(AFTER_CACHE)),
)

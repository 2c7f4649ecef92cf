"""`stackproof requires`: what each block needs of the blocks below it."""

from typing import TYPE_CHECKING, Annotated

import typer

from builder.cli.executors import executor_at
from builder.cli.options import HERE, AsJson, Offline, Project, Where
from builder.cli.session import Answer, Session, run
from verify.model.diagnostic import Diagnostic, ExitCode, InputFault, Place

if TYPE_CHECKING:
    from builder.requirements import BlockNeeds
    from verify.gates.alone import AloneTree
    from verify.model.observation import BuildObservation
    from verify.model.release import Configuration, Release


def requires(
    project: Project = HERE,
    build: Annotated[
        bool, typer.Option("--build", help="Build what is not known, to find what each block uses")
    ] = False,
    configuration: Annotated[
        str | None, typer.Option("--configuration", metavar="NAME", help="Default: the first that proves `alone`")
    ] = None,
    executor: Where = None,
    as_json: AsJson = False,
    offline: Offline = False,
) -> None:
    """Find what each block needs: other blocks' text, read off its hunks, and their meaning, by building.

    What is found is compared with `requires` in block.yaml. Without --build only builds that are known are used.

    Examples: stackproof requires; stackproof requires --build --json
    """
    run(
        "requires",
        lambda session: _requires(session, build=build, name=configuration, executor=executor),
        root=project,
        as_json=as_json,
        offline=offline,
    )


def _requires(session: Session, *, build: bool, name: str | None, executor: str | None) -> Answer:
    from builder import pipeline
    from builder.alone import Apart
    from builder.cli.tables import table
    from builder.measure import Bench
    from builder.requirements import find_needs
    from verify.model.evidence import BuildNeed
    from verify.model.stack import Stack

    workshop = session.workshop()
    stacked = pipeline.stack(pipeline.read_unpinned(workshop), workshop, against_lock=False)
    result = stacked.derived.result
    if not isinstance(result, Stack):
        return Answer(text="", data={}, diagnostics=result.findings, exit=ExitCode.DOES_NOT_HOLD)
    configuration = _configuration(stacked.release, name)
    bench = Bench(stacked=stacked, workshop=workshop, fresh=False, executor=executor_at(executor, stacked, workshop))
    blocks = stacked.release.blocks
    apart = Apart(blocks, result, stacked.store, stacked.derived.objects)
    case = pipeline.case(stacked, workshop)

    def observed(laid: "AloneTree") -> "BuildObservation | None":
        need = BuildNeed(tree=laid.tree, configuration=configuration.name)
        steps = [step for step in bench.plan_builds(case, (need,)) if build or step.known]
        stacked.store.write(apart.objects() if build else ())
        seen = bench.build(case, steps)
        if need in seen.faults:
            raise InputFault(*seen.faults[need])
        return seen.builds[need].observation if need in seen.builds else None

    found = [find_needs(blocks, block, apart, observed) for block in blocks]
    told = tuple(finding for each in found for finding in _findings(each, stacked.release))
    return Answer(
        text=table(("block", "requires", "uses", "text of", "alone"), [_row(each) for each in found]),
        data={"configuration": configuration.name, "blocks": [_data(each) for each in found]},
        diagnostics=told,
        exit=ExitCode.DOES_NOT_HOLD if told else ExitCode.HOLDS,
    )


def _configuration(release: "Release", name: str | None) -> "Configuration":
    from verify.model.release import Proof

    ranked = sorted(release.configurations, key=lambda each: Proof.ALONE not in each.proofs)
    found = next((each for each in ranked if name in (None, each.name)), None)
    if found is None:
        raise InputFault(
            Diagnostic(
                code="unknown-configuration",
                message=f"there is no configuration `{name}`",
                place=Place(file="release.json"),
                help=f"one of {', '.join(each.name for each in release.configurations)}",
            )
        )
    return found


def _row(needs: "BlockNeeds") -> tuple[str, ...]:
    return (
        needs.block,
        _names(needs.declared),
        _names(needs.on()),
        _names(tuple(each.on for each in needs.laid.textual)),
        _end(needs),
    )


def _end(needs: "BlockNeeds") -> str:
    if needs.ended is None:
        return "not built"
    return "builds" if needs.ended.ok else f"fails at {needs.ended.failed_step}"


def _names(names: tuple[str, ...]) -> str:
    return ", ".join(names) or "-"


def _data(needs: "BlockNeeds") -> dict[str, object]:
    return {
        "block": needs.block,
        "declared": list(needs.declared),
        "uses": [
            {
                "block": each.bringer.block,
                "fold": each.bringer.fold.id,
                "symbol": each.symbol,
                "used": {"file": each.message.file, "line": each.message.line, "error": each.message.text},
                "brought": {"file": each.bringer.fold.patch_file, "line": each.bringer.line},
            }
            for each in needs.missed
        ],
        "textual": [
            {
                "block": need.on,
                "of": need.block,
                "fold": need.fold,
                "hunks": [
                    {"file": each.place.file if each.place else None, "line": each.place.line if each.place else None}
                    for each in need.findings
                ],
            }
            for need in needs.laid.textual
        ],
        "below": list(needs.laid.below),
        "tree": needs.laid.tree,
        "builds": None if needs.ended is None else needs.ended.ok,
    }


def _findings(needs: "BlockNeeds", release: "Release") -> tuple[Diagnostic, ...]:
    file = next(block.file for block in release.blocks if block.name == needs.block)
    missing = (
        Diagnostic(
            code="requires-missing",
            message=f"block `{needs.block}` uses `{each.symbol}` of block `{each.bringer.block}`, "
            "which is not in its `requires`",
            place=Place(file=file),
            notes=(
                f"used: {each.message.file}:{each.message.line}: {each.message.text}",
                f"brought: {each.bringer.fold.patch_file}:{each.bringer.line}",
            ),
            help=f"add `{each.bringer.block}` to `requires`",
        )
        for each in needs.missing()
    )
    unneeded = (
        Diagnostic(
            code="requires-unneeded",
            message=f"block `{needs.block}` requires `{name}` and builds without it",
            place=Place(file=file),
            help=f"remove `{name}` from its `requires`; if it is needed when it runs, say so in `claims`",
        )
        for name in needs.unneeded()
    )
    return (*missing, *unneeded)

"""`stackproof build --warm`: the tip, quickly, on what the last build left in a folder of its own; no evidence."""

from typing import TYPE_CHECKING

from builder.cli.session import Answer, Session
from verify.model.diagnostic import Diagnostic, ExitCode, Finding, InputFault, Place, Severity
from verify.model.ids import ConfigName

if TYPE_CHECKING:
    from builder.compile.warm import Warmed
    from verify.gates.case import Case


def build_warm_tip(session: Session, *, name: str | None) -> Answer:
    """Build the tip of one configuration (the first, unless named) in its warm lane and tell how it went."""
    from builder import pipeline
    from builder.compile.toolchain import find_toolchain
    from builder.compile.warm import build_warm
    from verify.model.evidence import BuildNeed

    workshop = session.workshop()
    stacked = pipeline.stack(pipeline.read(workshop), workshop)
    stacked.keep()
    case = pipeline.case(stacked, workshop, to_build=False)
    configurations = stacked.release.configurations
    chosen = next((each for each in configurations if name in (None, each.name)), None)
    tip = case.tip_tree()
    if chosen is None or tip is None:
        raise InputFault(_nothing(name, [each.name for each in configurations]) if chosen is None else _STUCK)
    made = build_warm(
        need=BuildNeed(tree=tip, configuration=chosen.name),
        configuration=chosen,
        toolchain=find_toolchain(progress=workshop.progress),
        source=stacked.store,
        cache=workshop.cache,
        progress=workshop.progress,
    )
    seen = made.observation
    work = f"{seen.steps} steps, {seen.compiled} compiled, {seen.cache_hits} from the compiler cache"
    return Answer(
        text=f"the tip {'builds' if seen.ok else 'does not build'} in `{chosen.name}`: {work}\n"
        f"{f'began anew: {made.anew}' if made.anew else 'went on from the last build'}; no evidence",
        data={
            "tree": tip,
            "configuration": chosen.name,
            "ok": seen.ok,
            "anew": made.anew,
            "steps": seen.steps,
            "compiled": seen.compiled,
            "cache_hits": seen.cache_hits,
            "cpu_seconds": seen.cpu_seconds,
            "wall_seconds": seen.wall_seconds,
        },
        diagnostics=(*_damage(made, chosen.name), *_errors(made, case)),
        exit=ExitCode.HOLDS if seen.ok else ExitCode.DOES_NOT_HOLD,
    )


_STUCK = Diagnostic(code="stack-stuck", message="the stack has no tip to build", help="stackproof check")


def _nothing(name: str | None, names: list[ConfigName]) -> Diagnostic:
    return Diagnostic(
        code="unknown-configuration",
        message=f"there is no configuration `{name}`" if name else "no configuration is declared",
        place=Place(file="release.json"),
        help=f"one of {', '.join(names)}" if names else "declare one under `configurations` in release.json",
    )


def _damage(made: "Warmed", configuration: str) -> tuple[Diagnostic, ...]:
    if not made.damaged:
        return ()
    return (
        Diagnostic(
            code="lane-damaged",
            message=f"{len(made.damaged)} files in the warm lane of `{configuration}` are not what its last build left",
            notes=(*made.damaged[:10], "the lane was emptied and the build began anew"),
            help="leave that folder alone; nothing else is to be done",
            severity=Severity.WARNING,
        ),
    )


def _errors(made: "Warmed", case: "Case") -> tuple[Finding, ...]:
    """The first error, where it is, and whose line that is."""
    from verify.gates.blame import owner_of, place_of

    seen = made.observation
    if seen.ok:
        return ()
    first = seen.errors[0] if seen.errors else None
    owner = owner_of(first, case.trace(), case) if first is not None else ""
    return (
        Diagnostic(
            code="block-does-not-build",
            message=f"the tip does not build: {first.text if first is not None else seen.failed_step}",
            place=place_of(first) if first is not None else None,
            notes=(*((owner,) if owner else ()), f"step: {seen.failed_step}", f"log: {seen.log}"),
            help=f"less {seen.log}",
        ),
    )

"""`stackproof reproduce`: the same tree, built twice, is the same bytes."""

from typing import Annotated

import typer

from builder.cli.options import HERE, AsJson, Offline, Project
from builder.cli.session import Answer, Session, run
from verify.model.diagnostic import Diagnostic, ExitCode, InputFault, Place


def reproduce(
    project: Project = HERE,
    configuration: Annotated[
        str | None, typer.Option("--configuration", metavar="NAME", help="Default: the first one")
    ] = None,
    block: Annotated[
        str | None, typer.Option("--block", metavar="NAME", help="The stack up to this block; default: all of it")
    ] = None,
    warm: Annotated[
        bool, typer.Option("--warm", help="Compare a warm lane, which had the tree below, with a fresh one")
    ] = False,
    as_json: AsJson = False,
    offline: Offline = False,
) -> None:
    """Build the same tree in two folders, with nothing shared, and compare programs and libraries byte for byte.

    What differs is told with what can be read off: paths, dates, times, and the sources whose objects differ.

    With --warm one of the two is built in a lane that has just built the tree below, and both may take objects from
    the compiler cache: whether going on from another tree can be told by what comes out.

    Examples: stackproof reproduce --configuration release; stackproof reproduce --warm --block prefill-rotation
    """
    run(
        "reproduce",
        lambda session: _reproduce(session, name=configuration, block=block, warm=warm),
        root=project,
        as_json=as_json,
        offline=offline,
    )


def _reproduce(session: Session, *, name: str | None, block: str | None, warm: bool) -> Answer:
    from builder import pipeline
    from builder.compile.toolchain import find_toolchain
    from builder.reproduce import reproduce as build_twice
    from verify.model.codec import to_json
    from verify.model.evidence import BuildNeed
    from verify.model.ids import BlockName

    workshop = session.workshop()
    stacked = pipeline.stack(pipeline.read_unpinned(workshop), workshop, against_lock=False)
    stacked.keep()
    case = pipeline.case(stacked, workshop)
    chosen = next((each for each in stacked.release.configurations if name in (None, each.name)), None)
    tree = case.tip_tree() if block is None else case.block_tree(BlockName(block))
    if chosen is None or tree is None:
        raise InputFault(_unknown(name, block, [each.name for each in stacked.release.blocks], chosen is None))
    top = BlockName(block) if block is not None else stacked.release.blocks[-1].name
    seen = build_twice(
        need=BuildNeed(tree=tree, configuration=chosen.name),
        configuration=chosen,
        toolchain=find_toolchain(),
        stacked=stacked,
        workshop=workshop,
        after=case.below(top) if warm else None,
    )
    found = seen.difference
    told = tuple(
        Diagnostic(
            code="warm-differs" if warm else "not-reproducible",
            message=f"`{each.name}` is not the same in {'a warm lane and a fresh one' if warm else 'two builds'}, "
            f"tree {tree} in `{chosen.name}`",
            notes=(
                *((f"first differing byte: {each.offset}",) if each.offset is not None else ()),
                *each.reasons,
                *(f"object of {source} differs" for source in (found.sources or ())[:10]),
            ),
            help="name every input of what differs in the engine's CMakeLists.txt (DEPENDS, CONFIGURE_DEPENDS)"
            if warm
            else "take path, date and time out of what is compiled",
        )
        for each in found.files
    )
    if seen.kept_differs and not told:
        told = (_kept_differs(seen.kept_differs, tree, chosen.name),)
    compiled = sum(each.compiled for each in seen.builds)
    how = "warm and fresh" if warm else "twice"
    text = f"{found.compared} programs and libraries, built {how} ({compiled} compiled): "
    return Answer(
        text=text + (f"{len(found.files)} differ" if found.files else "the same, byte for byte"),
        data={"tree": tree, "configuration": chosen.name, "compiled": compiled, "difference": to_json(found)},
        diagnostics=told,
        exit=ExitCode.DOES_NOT_HOLD if told else ExitCode.HOLDS,
    )


def _kept_differs(names: tuple[str, ...], tree: str, configuration: str) -> Diagnostic:
    return Diagnostic(
        code="kept-build-differs",
        message=f"the kept build of tree {tree} in `{configuration}` is not what two fresh ones give alike",
        notes=tuple(names[:10]),
        help="stackproof build --fresh",
    )


def _unknown(name: str | None, block: str | None, blocks: list[str], no_configuration: bool) -> Diagnostic:
    if no_configuration:
        return Diagnostic(
            code="unknown-configuration",
            message=f"there is no configuration `{name}`",
            place=Place(file="release.json"),
            help="look at `configurations` in release.json",
        )
    return Diagnostic(
        code="unknown-block",
        message=f"there is no tree up to block `{block}`",
        place=Place(file="release.json"),
        help=f"one of {', '.join(blocks)}",
    )

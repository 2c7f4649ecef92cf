"""`stackproof weigh`: what each block brings to the build."""

from typing import TYPE_CHECKING, Annotated

import typer

from builder.cli.options import HERE, AsJson, Offline, Project
from builder.cli.session import Answer, Session, run

if TYPE_CHECKING:
    from builder.weight import Weight


def weigh(
    project: Project = HERE,
    upstream: Annotated[
        bool, typer.Option("--upstream", help="Against the base instead of against the block below")
    ] = False,
    as_json: AsJson = False,
    offline: Offline = False,
) -> None:
    """Say what each block brings: warnings, errors, compile time, objects, sizes, exported symbols.

    Uses the builds that are known, of every configuration that proves prefixes; `stackproof build` makes them.

    Examples: stackproof weigh; stackproof weigh --upstream --json
    """
    run("weigh", lambda session: _weigh(session, upstream=upstream), root=project, as_json=as_json, offline=offline)


def _weigh(session: Session, *, upstream: bool) -> Answer:
    import os
    from itertools import pairwise

    from builder import pipeline
    from builder.cli.tables import table
    from builder.compile.anatomy import exports, kept_anatomy
    from builder.measure import Bench
    from builder.weight import Weighed
    from builder.weight import weigh as weigh_builds
    from verify.model.evidence import BuildNeed
    from verify.model.release import Proof

    workshop = session.workshop()
    stacked = pipeline.stack(pipeline.read_unpinned(workshop), workshop, against_lock=False)
    case = pipeline.case(stacked, workshop)
    bench = Bench(stacked=stacked, workshop=workshop, fresh=False)
    rows: list[tuple[str, ...]] = []
    data: list[dict[str, object]] = []
    for configuration in stacked.release.configurations:
        if Proof.PREFIX not in configuration.proofs:
            continue
        trees = case.prefix_trees()
        needs = [BuildNeed(tree=tree, configuration=configuration.name) for _, tree in trees]
        bench.build(case, [step for step in bench.plan_builds(case, needs) if step.known])
        weighed = {}
        for need in needs:
            built = bench.built.get(need)
            if built is not None and built.folder is not None:
                weighed[need] = Weighed(
                    observation=built.observation,
                    anatomy=kept_anatomy(built.folder),
                    exports=exports(built.folder, os.environ),
                )
        for (below, need), (block, _) in zip(pairwise(needs), trees[1:], strict=True):
            other = needs[0] if upstream else below
            if need not in weighed or other not in weighed:
                rows.append((str(block), configuration.name, "not built", "", "", "", "", "", ""))
                continue
            weight = weigh_builds(weighed[need], weighed[other])
            rows.append((str(block), configuration.name, *_cells(weight)))
            data.append({"block": block, "configuration": configuration.name, **_data(weight)})
    heads = ("block", "configuration", "warnings", "errors", "objects", "compile s", "object B", "binary B", "exports")
    return Answer(
        text=table(heads, rows), data={"against": "upstream" if upstream else "the block below", "blocks": data}
    )


def _cells(weight: "Weight") -> tuple[str, ...]:
    return (
        str(len(weight.warnings)),
        str(len(weight.errors)),
        "?" if weight.objects is None else str(len(weight.objects)),
        "?" if weight.compile_seconds is None else f"{weight.compile_seconds:.1f}",
        "?" if weight.object_bytes is None else f"{weight.object_bytes:+d}",
        f"{weight.binary_bytes:+d}",
        "?" if weight.came is None or weight.gone is None else f"+{len(weight.came)} -{len(weight.gone)}",
    )


def _data(weight: "Weight") -> dict[str, object]:
    from verify.model.codec import to_json

    value = to_json(weight)
    assert isinstance(value, dict)
    return value

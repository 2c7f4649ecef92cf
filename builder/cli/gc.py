"""`stackproof gc`: bound what the cache takes."""

from typing import TYPE_CHECKING, Annotated

import typer

from builder.cli.options import HERE, AsJson, Project
from builder.cli.session import Answer, Session, run

if TYPE_CHECKING:
    from builder.gc import Item, Needed
    from builder.measure import Bench
    from verify.gates.case import Case


def gc(
    project: Project = HERE,
    size: Annotated[float, typer.Option("--size", metavar="GIB", min=0, help="What may stay, in GiB")] = 10.0,
    ccache: Annotated[float, typer.Option("--ccache", metavar="GIB", min=0, help="For the compiler cache")] = 5.0,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would go and remove nothing")] = False,
    as_json: AsJson = False,
) -> None:
    """Remove builds, lanes, logs and records that the release does not need, the longest unused first.

    Whatever this release rests on stays, however large; what killed runs left over always goes.

    Examples: stackproof gc --dry-run; stackproof gc --size 2; stackproof gc --size 0
    """
    run(
        "gc",
        lambda session: _gc(session, size=size, ccache=ccache, dry_run=dry_run),
        root=project,
        as_json=as_json,
        offline=True,
    )


def _gc(session: Session, *, size: float, ccache: float, dry_run: bool) -> Answer:
    from builder import gc as collector
    from builder import pipeline
    from builder.cli.tables import table
    from builder.measure import Bench

    workshop = session.workshop()
    stacked = pipeline.stack(pipeline.read_unpinned(workshop), workshop, against_lock=False)
    case = pipeline.case(stacked, workshop)
    bench = Bench(stacked=stacked, workshop=workshop, fresh=False)
    items = collector.items_in(workshop.cache, needed_by(bench, case))
    going = collector.to_remove(items, limit=int(size * collector.GIB))
    if not dry_run:
        going = collector.remove(going, workshop.cache)
        collector.bound_compiler_cache(
            ccache=bench.toolchain.ccache, folder=workshop.cache / "ccache", limit=int(ccache * collector.GIB)
        )
    rows = []
    for kind in collector.Kind:
        gone = [item for item in going if item.kind is kind]
        stays = [item for item in items if item.kind is kind and item not in going]
        rows.append((kind.value, str(len(gone)), _mib(gone), str(len(stays)), _mib(stays)))
    return Answer(
        text=table(("", "would go" if dry_run else "gone", "MiB", "stays", "MiB"), rows),
        data={
            "dry_run": dry_run,
            "removed": [
                {"kind": item.kind.value, "path": str(item.path), "size": item.size, "used_at": item.used_at}
                for item in going
            ],
            "kept_bytes": sum(item.size for item in items if item not in going),
            "needed": sum(item.needed for item in items),
        },
    )


def _mib(items: "list[Item]") -> str:
    return f"{sum(item.size for item in items) / (1 << 20):.1f}"


def needed_by(bench: "Bench", case: "Case") -> "Needed":
    """Every build that a gate of the release asks for, and all that is recorded on those."""
    from pathlib import Path

    from builder.gc import Needed, records_of
    from builder.plan import builds_of, needs_of
    from verify.gates.battery import gates_of
    from verify.probe.engine import build_identity

    steps = bench.plan_builds(case, builds_of(needs_of(gates_of(case.release), case), case))
    known = bench.build(case, [step for step in steps if step.known])
    names = {str(step.key.digest) for step in steps}
    made = [bench.built[step.need] for step in steps if step.need in bench.built]
    names |= {str(build_identity(each.key, each.observation)) for each in made}
    kinds = [path.name for path in sorted(bench.evidence.folder.glob("*")) if path.is_dir()]
    records = [record for kind in kinds for record in bench.evidence.every(kind)]
    return Needed(
        builds={step.key.digest for step in steps},
        lanes={each.name for each in case.release.configurations},
        logs={Path(each.observation.log).name for each in known.builds.values()},
        records=records_of(names, records),
    )

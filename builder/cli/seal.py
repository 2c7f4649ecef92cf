"""`stackproof seal`: pack a release that holds on the evidence at hand."""

from pathlib import Path
from typing import Annotated

import typer

from builder.cli.options import HERE, AsJson, Key, Offline, Parent, Project
from builder.cli.session import Answer, Session, run


def seal(
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Where to pack")],
    key: Key = None,
    parent: Parent = None,
    project: Project = HERE,
    as_json: AsJson = False,
    offline: Offline = False,
) -> None:
    """Judge the release on the evidence at hand and pack it when it holds; build and measure nothing.

    Packed are patches, sources, binaries, image, notes, SBOM and statements; without --key nothing is signed.

    Examples: stackproof seal --out dist; stackproof seal --out dist --key ~/.ssh/id_ed25519
    """
    run(
        "seal",
        lambda session: _seal(session, out=out, key=key, parent=parent),
        root=project,
        as_json=as_json,
        offline=offline,
    )


def _seal(session: Session, *, out: Path, key: Path | None, parent: Path | None) -> Answer:
    from builder import pipeline
    from builder.cli.packing import pack
    from builder.cli.verdict import answer_of
    from builder.measure import Bench
    from verify.gates.battery import gates_of
    from verify.judge import judge
    from verify.model.verdict import Holds

    workshop = session.workshop()
    declared = pipeline.read(workshop)
    stacked = pipeline.stack(declared, workshop)
    stacked.keep()
    bench = Bench(stacked=stacked, workshop=workshop, fresh=False)
    case = bench.known_steps(pipeline.case(stacked, workshop), gates_of(declared))
    verdict = judge(release=declared, case=case)
    if not isinstance(verdict, Holds):
        return answer_of(verdict.results, what=f"release {declared.name}")
    return pack(verdict, case=case, bench=bench, out=out, key=key, parent=parent)

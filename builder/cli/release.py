"""`stackproof release`: the main job. Check, build, gate, and pack what holds."""

from pathlib import Path
from typing import Annotated

import typer

from builder.cli.executors import executor_at
from builder.cli.options import HERE, AsJson, Fresh, Key, Offline, Parent, Project, Where
from builder.cli.session import Answer, Session, run


def release(
    project: Project = HERE,
    out: Annotated[Path | None, typer.Option("--out", metavar="DIR", help="Where to pack (default: dist)")] = None,
    key: Key = None,
    parent: Parent = None,
    fresh: Fresh = False,
    executor: Where = None,
    as_json: AsJson = False,
    offline: Offline = False,
) -> None:
    """Check, build, run the gates, and pack the release when it holds.

    What files and trees alone decide comes first: when that fails nothing is built. Safe to repeat; what is known
    for exactly the same content is not made again.

    Examples: stackproof release; stackproof release --fresh; stackproof release --out /srv/releases --json
    """
    run(
        "release",
        lambda session: _release(session, out=out, key=key, parent=parent, fresh=fresh, executor=executor),
        root=project,
        as_json=as_json,
        offline=offline,
    )


def _release(
    session: Session, *, out: Path | None, key: Path | None, parent: Path | None, fresh: bool, executor: str | None
) -> Answer:
    from builder import pipeline
    from builder.cli.packing import pack
    from builder.cli.verdict import answer_of
    from builder.measure import Bench
    from verify.gates.battery import gates_of
    from verify.judge import judge
    from verify.model.diagnostic import ExitCode
    from verify.model.verdict import Holds

    workshop = session.workshop()
    declared = pipeline.read(workshop)
    stacked = pipeline.stack(declared, workshop)
    case = pipeline.case(stacked, workshop)
    what = f"release {declared.name}"
    if answer_of(pipeline.structure(case), what=what).exit is ExitCode.DOES_NOT_HOLD:
        # Broken files or trees: hours of building on them would prove nothing.
        return answer_of(judge(release=declared, case=case).results, what=what)
    stacked.keep()
    bench = Bench(stacked=stacked, workshop=workshop, fresh=fresh, executor=executor_at(executor, stacked, workshop))
    case = bench.all_steps(case, gates_of(declared))
    verdict = judge(release=declared, case=case)
    if not isinstance(verdict, Holds):
        return answer_of(verdict.results, what=what)
    return pack(verdict, case=case, bench=bench, out=out or session.root / "dist", key=key, parent=parent)

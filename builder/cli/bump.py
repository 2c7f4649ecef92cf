"""`stackproof bump …`: the stack on a newer upstream, as a proposal that is shown, resolved, accepted or dropped."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from builder.cli.edits import alone, now, open_here, tell
from builder.cli.options import HERE, AsJson, Offline, Project
from builder.cli.session import Answer, Session, run
from verify.model.diagnostic import Diagnostic, ExitCode, InputFault
from verify.model.wording import count as counted

if TYPE_CHECKING:
    from builder.bump.analysis import Analysis
    from builder.bump.outcome import FoldKey
    from builder.bump.proposal import Proposal
    from builder.bump.source import Bench
    from builder.edit.desk import Desk
    from builder.upstream import Imported
    from verify.model.ids import RepoPath
    from verify.model.release import Base

app = typer.Typer(
    no_args_is_help=True,
    invoke_without_command=True,
    help="Move the stack to another base: bump --to SOURCE proposes, show, resolve, accept, drop",
)

All = Annotated[bool, typer.Option("--all", help="Tell every hunk and all that is owed a look")]


@app.callback(invoke_without_command=True)
def bump(
    context: typer.Context,
    to: Annotated[str, typer.Option("--to", metavar="SOURCE", help="The new base; see below")] = "",
    advise: Annotated[
        list[str] | None, typer.Option("--advise", metavar="SOURCE", help="Compare bases instead (repeatable)")
    ] = None,
    folder: Annotated[str, typer.Option("--folder", metavar="PATH", help="The engine's folder in the archive")] = "",
    sha256: Annotated[str, typer.Option("--sha256", metavar="DIGEST", help="The archive's digest")] = "",
    below: Annotated[
        str, typer.Option("--base", metavar="PATH", help="Where the release's own base lies, when that is a path")
    ] = "",
    follow: Annotated[
        list[str] | None, typer.Option("--follow", metavar="OLD=NEW", help="A file that upstream moved (repeatable)")
    ] = None,
    every: All = False,
    project: Project = HERE,
    as_json: AsJson = False,
    offline: Offline = False,
) -> None:
    """Carry every fold to a new base, past every conflict, and propose the result.

    SOURCE is a version of the same package (0.3.37), another commit in its sdist (0.3.36@origin/master), another
    package's sdist (PACKAGE==VERSION), a git repository (PATH-OR-ADDRESS@COMMIT), an archive, a folder, or
    the bundle of another release, which an overlay stands on. With --advise
    it may also be a range of a git repository's history (PATH@FROM..TO). Nothing of the project is changed.

    Examples: stackproof bump --to 0.3.37; stackproof bump --to ../llama.cpp@master; stackproof bump accept
    """
    if context.invoked_subcommand is not None:
        return
    if not to and not advise:
        print(context.get_help())
        raise typer.Exit(2)

    def body(session: Session) -> Answer:
        if advise:
            return _advise(session, tuple(advise), folder)
        return _propose(session, to, folder=folder, sha256=sha256, below=below, follow=tuple(follow or ()), every=every)

    run("bump", body, root=project, as_json=as_json, offline=offline)


@app.command("show")
def show(every: All = False, project: Project = HERE, as_json: AsJson = False, offline: Offline = False) -> None:
    """Show the proposed bump, worked out anew.

    Example: stackproof bump show --all
    """
    run("bump", lambda session: _show(session, every=every), root=project, as_json=as_json, offline=offline)


@app.command("drop")
def drop(project: Project = HERE, as_json: AsJson = False) -> None:
    """Forget the proposed bump; resolutions that were made for it stay in the blocks.

    Example: stackproof bump drop
    """

    def body(session: Session) -> Answer:
        from builder.bump.proposal import forget_proposal

        with alone(session, dry_run=False):
            there = forget_proposal(session.root)
        return Answer(text="forgotten" if there else "no bump was proposed", data={"dropped": there})

    run("bump", body, root=project, as_json=as_json)


@app.command("accept")
def accept(
    name: Annotated[
        str, typer.Option("--name", metavar="NAME", help="The release's new name; it follows this one")
    ] = "",
    drops: Annotated[
        list[str] | None,
        typer.Option("--drop", metavar="BLOCK[/FOLD]", help="Leave it out, on record, and prove it (repeatable)"),
    ] = None,
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why it is left out")] = "",
    keep_gates: Annotated[
        list[str] | None,
        typer.Option("--keep-gate", metavar="BLOCK/GATE", help="A gate that outlives its block (repeatable)"),
    ] = None,
    deletions: Annotated[
        bool, typer.Option("--deletions", help="Lines that upstream has added since may be removed")
    ] = False,
    unproven: Annotated[
        bool, typer.Option("--unproven", help="Do not build and gate before something is left out")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be written and write nothing")] = False,
    project: Project = HERE,
    as_json: AsJson = False,
    offline: Offline = False,
) -> None:
    """Make the proposed bump the release: refreshed patches, base, pin and record, in one operation.

    `stackproof undo` takes it back, byte for byte. What is left out is first proven: the release without it is built
    and its gates are run.

    Examples: stackproof bump accept --name llama-cpp-0.3.37-r1; stackproof bump accept --drop prefill-rotation
    """

    def body(session: Session) -> Answer:
        return _accept(
            session,
            name=name,
            drops=tuple(drops or ()),
            reason=reason,
            deletions=deletions,
            keep_gates=tuple(keep_gates or ()),
            prove=not unproven,
            dry_run=dry_run,
        )

    run("bump", body, root=project, as_json=as_json, offline=offline)


@app.command("resolve")
def resolve(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="A folder to resolve in; made when it is missing")],
    abort: Annotated[bool, typer.Option("--restart", help="Throw away what stands in DIR, and lay it anew")] = False,
    project: Project = HERE,
    as_json: AsJson = False,
    offline: Offline = False,
) -> None:
    """Lay the first open fold in DIR with its conflicts marked; run again to take what was resolved there.

    What is taken is remembered in the block, for exactly these files. The next open fold is laid then, until none is.

    Example: stackproof bump resolve ../resolve; edit the files there; stackproof bump resolve ../resolve
    """
    run(
        "bump",
        lambda session: _resolve(session, directory, restart=abort),
        root=project,
        as_json=as_json,
        offline=offline,
    )


def _propose(
    session: Session, text: str, *, folder: str, sha256: str, below: str, follow: tuple[str, ...], every: bool
) -> Answer:
    from builder.bump.proposal import Proposal, write_proposal
    from builder.bump.source import find_source
    from verify.model.ids import Sha256

    with alone(session, dry_run=False):
        desk = open_here(session)
        found = find_source(
            text,
            now=desk.release.base,
            bench=_bench(session, desk),
            folder=folder,
            sha256=Sha256(sha256) or None,
            below=below,
        )
        proposal = Proposal(asked=text, base=found.base, follow=tuple(_pair(each) for each in follow))
        imported, analysis = _analyse(session, desk, proposal)
        write_proposal(session.root, proposal)
    return _answer(desk, proposal, imported, analysis, every=every, told=found.told)


def _show(session: Session, *, every: bool) -> Answer:
    from builder.bump.proposal import read_proposal

    proposal = read_proposal(session.root)
    desk = open_here(session)
    imported, analysis = _analyse(session, desk, proposal)
    return _answer(desk, proposal, imported, analysis, every=every)


def _accept(
    session: Session,
    *,
    name: str,
    drops: tuple[str, ...],
    reason: str,
    deletions: bool,
    keep_gates: tuple[str, ...],
    prove: bool,
    dry_run: bool,
) -> Answer:
    from builder.bump.accept import Asked, apply_accept, plan_accept
    from builder.bump.outcome import Outcome
    from builder.bump.proposal import forget_proposal, read_proposal

    with alone(session, dry_run=dry_run):
        proposal = read_proposal(session.root)
        desk = open_here(session)
        dropped = _dropped(desk, drops)
        imported, whole = _analyse(session, desk, proposal)
        analysis = whole if not dropped else _analyse(session, desk, proposal, dropped)[1]
        gone = {fold.key() for fold in whole.bumped.folds if fold.outcome is Outcome.UPSTREAMED}
        _refuse_unexplained(dropped - gone, reason)
        asked = Asked(name=name, reason=reason, upstreamed=dropped & gone, deletions=deletions, keep_gates=keep_gates)
        plan = plan_accept(desk, proposal, (imported.tree, imported.commit), analysis, asked)
        proof = ""
        if dropped and prove:
            from builder.bump.prove import prove_plan

            desk.store.write(plan.objects)
            proven = prove_plan(session.workshop(), plan.contents, plan=dry_run)
            if not proven.holds and not dry_run:
                return Answer(
                    text=proven.text, data={"accepted": False}, diagnostics=proven.diagnostics, exit=proven.exit
                )
            proof = proven.text
        operation = None
        if not dry_run:
            operation = apply_accept(root=session.root, plan=plan, asked=proposal.asked, at=now(), tell=tell)
            forget_proposal(session.root)
    verb = "would write" if dry_run else "wrote"
    lines = [proof] if proof else []
    lines += [
        *plan.told,
        f"base tree: {desk.stack.base_tree} -> {imported.tree}",
        f"tip tree: {desk.stack.tip_tree()} -> {plan.stack.tip_tree()}",
        f"{verb} {', '.join(sorted(plan.contents))}" if plan.contents else "nothing changes",
    ]
    if operation is not None:
        lines.append("next: stackproof docs render, then stackproof release; stackproof undo takes the bump back")
    return Answer(
        text="\n".join(lines),
        data={
            "accepted": operation is not None,
            "files": sorted(plan.contents),
            "base_tree": imported.tree,
            "tip": {"tree": plan.stack.tip_tree(), "commit": plan.stack.tip_commit()},
            "told": list(plan.told),
        },
    )


def _resolve(session: Session, directory: Path, *, restart: bool) -> Answer:
    from builder.bump.proposal import read_proposal
    from builder.bump.resolve import lay_next, take_resolved

    with alone(session, dry_run=False):
        proposal = read_proposal(session.root)
        desk = open_here(session)
        imported, analysis = _analyse(session, desk, proposal)
        told: list[str] = []
        if not restart:
            taken = take_resolved(desk, analysis.bumped, directory, at=now(), tell=tell)
            told += taken
            if taken:
                imported, analysis = _analyse(session, desk, proposal)
        laid = lay_next(desk, analysis.bumped, imported.commit, directory, again=restart or bool(told))
    told += laid.told
    return Answer(
        text="\n".join(told),
        data={
            "resolved": laid.fold is None,
            "fold": "/".join(laid.fold) if laid.fold else None,
            "files": list(laid.files),
        },
        exit=ExitCode.HOLDS if laid.fold is None else ExitCode.DOES_NOT_HOLD,
    )


def _advise(session: Session, texts: tuple[str, ...], folder: str) -> Answer:
    from builder.bump.advise import advise, spread
    from builder.cli.tables import table

    desk = open_here(session)
    bench = _bench(session, desk)
    sources = spread(texts, now=desk.release.base, bench=bench, folder=folder)
    found = advise(desk, sources, lambda base: _import(session, desk, base).tree)
    rows = [
        (
            each.text,
            "yes" if each.clean else "no",
            str(each.open_hunks),
            str(each.owed),
            str(each.upstream),
            ", ".join(each.breaks) or "-",
        )
        for each in found.bases
    ]
    lines = [table(("base", "clean", "open hunks", "lines owed", "upstream's lines", "blocks that break"), rows)]
    lines += [f"{block}: first broken by {text}" for block, text in found.first]
    if found.cheapest is not None:
        lines.append(f"costs least: stackproof bump --to {found.cheapest}")
    return Answer(
        text="\n".join(lines),
        data={
            "bases": [
                {
                    "source": each.text,
                    "tree": each.tree,
                    "clean": each.clean,
                    "open_hunks": each.open_hunks,
                    "owed": each.owed,
                    "upstream_lines": each.upstream,
                    "breaks": list(each.breaks),
                }
                for each in found.bases
            ],
            "first": dict(found.first),
            "cheapest": found.cheapest,
        },
    )


def _bench(session: Session, desk: "Desk") -> "Bench":
    from builder.bump.source import Bench

    def paths() -> tuple["RepoPath", ...]:
        return tuple(desk.store.listing(desk.stack.base_tree))

    return Bench(
        root=session.root, cache=session.cache, offline=session.offline, progress=session.progress, paths=paths
    )


def _import(session: Session, desk: "Desk", base: "Base") -> "Imported":
    from builder.upstream import import_base

    return import_base(
        base=base,
        store=desk.store,
        cache=session.cache,
        offline=session.offline,
        progress=session.progress,
        root=session.root,
    )


def _analyse(
    session: Session, desk: "Desk", proposal: "Proposal", dropped: "frozenset[FoldKey]" = frozenset()
) -> tuple["Imported", "Analysis"]:
    from builder.bump.analysis import analyse

    imported = _import(session, desk, proposal.base)
    with session.progress.stage("carry the stack") as stage:
        analysis = analyse(desk, imported.tree, follow=dict(proposal.follow), dropped=dropped)
        opened = len(analysis.bumped.open_folds())
        stage.outcome(f"{counted(len(analysis.bumped.folds), 'fold')}, {opened} open")
    return imported, analysis


def _answer(
    desk: "Desk",
    proposal: "Proposal",
    imported: "Imported",
    analysis: "Analysis",
    *,
    every: bool,
    told: tuple[str, ...] = (),
) -> Answer:
    from builder.bump.proposal import base_value
    from builder.bump.told import told_data, told_lines

    clean = analysis.is_clean()
    opened = analysis.bumped.open_folds()
    step = "stackproof bump accept" if clean else "stackproof bump resolve DIR" if opened else "stackproof bump accept"
    lines = [*told, f"base tree {imported.tree}", *told_lines(analysis, desk.release.blocks, every=every)]
    lines.append(f"next: {step}, or stackproof bump drop")
    data = {
        "asked": proposal.asked,
        "base": base_value(proposal.base),
        "told": list(told),
        **told_data(analysis, desk.release.blocks),
    }
    return Answer(
        text="\n".join(lines),
        data=data,
        diagnostics=analysis.findings,
        exit=ExitCode.HOLDS if clean else ExitCode.DOES_NOT_HOLD,
    )


def _dropped(desk: "Desk", names: tuple[str, ...]) -> "frozenset[FoldKey]":
    found: set[FoldKey] = set()
    for name in names:
        if "/" in name:
            block, fold = desk.fold(name)
            found.add((block.name, fold.id))
        else:
            found |= {(desk.block(name).name, fold.id) for fold in desk.block(name).folds}
    return frozenset(found)


def _refuse_unexplained(keys: "frozenset[FoldKey]", reason: str) -> None:
    if keys and not reason:
        raise InputFault(
            Diagnostic(
                code="bump-drop-reason",
                message="a fold is left out that upstream does not have, and no reason is given",
                notes=tuple(f"{block}/{fold}" for block, fold in sorted(keys)),
                help="stackproof bump accept --drop BLOCK --reason TEXT",
            )
        )


def _pair(text: str) -> tuple["RepoPath", "RepoPath"]:
    from verify.model.ids import RepoPath

    old, equals, new = text.partition("=")
    if not (old and equals and new):
        raise InputFault(
            Diagnostic(
                code="bump-follow",
                message=f"`{text}` does not say which file became which",
                notes=("expected OLD=NEW, paths in the engine's tree",),
                help="stackproof bump --to SOURCE --follow src/old.cpp=src/new.cpp",
            )
        )
    return RepoPath(old.encode()), RepoPath(new.encode())

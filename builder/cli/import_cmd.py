"""`stackproof import …`: make a project of a quilt series, a Debian source tree, a git range or a mail folder."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from builder.cli.options import AsJson
from builder.cli.session import Answer, Session, run

if TYPE_CHECKING:
    from builder.exchange.ground import Ground
    from builder.exchange.stack_in import StackIn
    from verify.diff.submission import Dialect
    from verify.model.ids import CommitId, TreeId
    from verify.model.release import Base

app = typer.Typer(no_args_is_help=True, help="Make a project of patches that are kept in another form")

Out = Annotated[Path, typer.Option("--out", metavar="DIR", help="The project's folder, which must not be one yet")]
Orig = Annotated[Path, typer.Option("--orig", metavar="DIR", help="The unpatched sources, as they lie on disk")]
OrigOrNone = Annotated[
    Path | None, typer.Option("--orig", metavar="DIR", help="The unpatched sources, as they lie on disk")
]
On = Annotated[
    Path | None, typer.Option("--on", metavar="BUNDLE", help="Instead of --orig: the release that they are patches of")
]
Below = Annotated[
    str, typer.Option("--base", metavar="PATH", help="With --on: where that release's own base lies, when it is a path")
]
Strict = Annotated[bool, typer.Option("--strict", help="Refuse every hunk that is not exactly at its stated line")]
Map = Annotated[
    Path | None, typer.Option("--map", metavar="FILE", help="JSON: block names to lists of patch names, in stack order")
]
Rule = Annotated[str, typer.Option("--dialect", metavar="gnu|git", help="Whose rules the patches were written for")]
Block = Annotated[str | None, typer.Option("--block", metavar="NAME", help="The block that takes every fold")]


@app.command("quilt")
def quilt(
    patches: Annotated[Path, typer.Option("--patches", metavar="DIR", help="The folder of the patches")],
    out: Out,
    orig: OrigOrNone = None,
    on: On = None,
    below: Below = "",
    series: Annotated[Path | None, typer.Option("--series", metavar="FILE", help="Default: PATCHES/series")] = None,
    dialect: Rule = "gnu",
    mapping: Map = None,
    without: Annotated[
        list[str] | None, typer.Option("--without", metavar="NAME", help="An entry of the sources' top that is no part")
    ] = None,
    strict: Strict = False,
    as_json: AsJson = False,
) -> None:
    """Import a quilt series: one block, one fold for each patch, unless a map says otherwise.

    With --on the project is an overlay of a release: local patches on what somebody else gave away.

    Examples: stackproof import quilt --orig openssh-9.2p1 --patches debian/patches --out openssh-stack;
    stackproof import quilt --on llama-cpp-0.3.36-r1 --patches debian/patches --out local
    """

    def body(session: Session) -> Answer:
        from builder.exchange.quilt import import_quilt

        with session.progress.stage("import the series") as stage:
            taken = import_quilt(
                orig=ground_asked(session, orig, on, out, below),
                patches=patches,
                series=series,
                dialect=_dialect(dialect),
                mapping=mapping,
                out=out,
                strict=strict,
                without=tuple(without or ()),
            )
            stage.outcome(summary_of(taken))
        return answer_of_import(taken, out)

    run("import", body, root=out, as_json=as_json)


@app.command("debian")
def debian(
    source: Annotated[Path, typer.Argument(help="An unpacked Debian source tree, its patches applied or not")],
    out: Out,
    mapping: Map = None,
    strict: Strict = False,
    as_json: AsJson = False,
) -> None:
    """Import a Debian source tree (3.0 (quilt), or 1.0 with debian/patches) as dpkg-source reads it.

    Example: dpkg-source -x krb5_1.20.1-2.dsc; stackproof import debian krb5-1.20.1 --out krb5-stack
    """

    def body(session: Session) -> Answer:
        from builder.exchange.debian import import_debian

        with session.progress.stage("import the source tree") as stage:
            taken = import_debian(source=source, mapping=mapping, out=out, strict=strict)
            stage.outcome(summary_of(taken))
        return answer_of_import(taken, out)

    run("import", body, root=out, as_json=as_json)


@app.command("git")
def git(
    repository: Annotated[Path, typer.Argument(help="A git repository")],
    revisions: Annotated[str, typer.Argument(metavar="BASE..TIP", help="The commits to take, without merges")],
    out: Out,
    block: Block = None,
    as_json: AsJson = False,
) -> None:
    """Import a range of commits: one fold for each, on the commit BASE.

    Example: stackproof import git ../llama.cpp b4567..my-branch --out my-stack
    """

    def body(session: Session) -> Answer:
        from builder.exchange.git_range import import_range

        with session.progress.stage("import the commits") as stage:
            taken = import_range(repository=repository, revisions=revisions, block=block, out=out)
            stage.outcome(summary_of(taken))
        return answer_of_import(taken, out)

    run("import", body, root=out, as_json=as_json)


@app.command("mbox")
def mbox(
    mailbox: Annotated[Path, typer.Argument(help="A mail folder, or one mail or patch")],
    orig: Orig,
    out: Out,
    dialect: Rule = "git",
    strip: Annotated[int, typer.Option("-p", min=0, max=20, help="Folders to strip off every name")] = 1,
    block: Block = None,
    strict: Strict = False,
    as_json: AsJson = False,
) -> None:
    """Import the patches of a mail folder: one fold for each message.

    Example: stackproof import mbox series.mbox --orig llama.cpp --out my-stack
    """

    def body(session: Session) -> Answer:
        from builder.exchange.mailbox import import_mailbox

        with session.progress.stage("import the mails") as stage:
            taken = import_mailbox(
                orig=orig, mailbox=mailbox, dialect=_dialect(dialect), strip=strip, block=block, out=out, strict=strict
            )
            stage.outcome(summary_of(taken))
        return answer_of_import(taken, out)

    run("import", body, root=out, as_json=as_json)


def ground_asked(session: Session, orig: Path | None, on: Path | None, out: Path, below: str) -> "Path | Ground":
    """What patches are laid on: the folder, or the release, whichever was named."""
    from builder.exchange.ground import release_ground
    from builder.exchange.project import check_unused
    from builder.upstream import import_base
    from verify.model.diagnostic import Diagnostic, InputFault

    if (orig is None) == (on is None):
        raise InputFault(
            Diagnostic(
                code="import-ground",
                message="the sources that the patches are for are named twice" if orig else "no sources are named",
                notes=("--orig DIR: unpatched sources; --on BUNDLE: a release of stackproof",),
                help="name one of the two",
            )
        )
    if on is None:
        assert orig is not None
        return orig
    check_unused(out)
    workshop = session.workshop()
    store = workshop.store()

    def lay(base: "Base", root: Path) -> "tuple[TreeId, CommitId]":
        made = import_base(
            base=base, store=store, cache=workshop.cache, offline=False, progress=workshop.progress, root=root
        )
        return made.tree, made.commit

    return release_ground(on, out, base=below, store=store, lay=lay)


def _dialect(text: str) -> "Dialect":
    from verify.diff.submission import Dialect
    from verify.model.diagnostic import Diagnostic, InputFault

    if text not in tuple(Dialect):
        raise InputFault(
            Diagnostic(
                code="dialect-unknown",
                message=f"there is no dialect `{text}`",
                notes=("git: as `git apply` reads patches; gnu: as GNU patch does, which dpkg-source and quilt run",),
                help="--dialect gnu, or --dialect git",
            )
        )
    return Dialect(text)


def summary_of(taken: "StackIn") -> str:
    """What was taken in, in a few words."""
    hunks = sum(len(report.fates) for report in taken.reports)
    return f"{len(taken.reports)} folds, {hunks} hunks"


def answer_of_import(taken: "StackIn", out: Path) -> Answer:
    """What an import has to say."""
    from builder.exchange.told import told_fold, told_lines

    lines = [f"{taken.stack.base_tree}  base", *told_lines(taken), f"{taken.stack.tip_tree()}  tip"]
    lines.append(f"wrote {out}; look at it with: stackproof stack -C {out}")
    return Answer(
        text="\n".join(lines),
        data={
            "project": str(out),
            "base": {"tree": taken.stack.base_tree, "commit": taken.stack.base_commit},
            "tip": {"tree": taken.stack.tip_tree(), "commit": taken.stack.tip_commit()},
            "folds": [told_fold(report) for report in taken.reports],
        },
    )

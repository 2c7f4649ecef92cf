"""The console script: every command by name, in the order of a working day.

A command's module imports nothing heavy; what it needs is imported when it is called, so that each starts fast.
"""

import sys
from typing import Annotated

import typer

from builder.cli import (
    bump,
    deviations,
    docs,
    evidence,
    export_cmd,
    export_folders,
    import_cmd,
    import_folders,
    review,
    worklog,
)
from builder.cli.amend import amend
from builder.cli.bisect import bisect
from builder.cli.build import build
from builder.cli.check import check
from builder.cli.checkout import checkout
from builder.cli.ci import ci
from builder.cli.diff import diff
from builder.cli.drop import drop
from builder.cli.explain import explain
from builder.cli.fold import fold
from builder.cli.gate import gate
from builder.cli.gc import gc
from builder.cli.history import log, redo, undo
from builder.cli.merge_driver import merge_driver
from builder.cli.move import move
from builder.cli.owner import owner
from builder.cli.pin import pin
from builder.cli.promote import promote
from builder.cli.publish import publish
from builder.cli.pull import pull
from builder.cli.release import release
from builder.cli.rename import rename
from builder.cli.reorder import reorder
from builder.cli.report import report
from builder.cli.reproduce import reproduce
from builder.cli.requires import requires
from builder.cli.seal import seal
from builder.cli.split import split
from builder.cli.squash import squash
from builder.cli.stack import stack
from builder.cli.status import status
from builder.cli.switches import switches
from builder.cli.sync import sync
from builder.cli.trace import trace
from builder.cli.try_cmd import try_gate
from builder.cli.weigh import weigh

_EDITS = (fold, amend, move, split, squash, drop, rename, reorder, undo, redo, log)

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False, no_args_is_help=True)

for _command in (
    status,
    check,
    stack,
    requires,
    build,
    ci,
    gc,
    reproduce,
    weigh,
    gate,
    bisect,
    trace,
    release,
    report,
    seal,
    publish,
    pull,
    pin,
    checkout,
    sync,
    *_EDITS,
    promote,
    owner,
    diff,
    switches,
    explain,
):
    app.command(_command.__name__)(_command)
app.command("merge-driver")(merge_driver)
app.command("try")(try_gate)
app.add_typer(bump.app, name="bump")
app.add_typer(worklog.app, name="worklog")
app.add_typer(docs.app, name="docs")
app.add_typer(review.app, name="review")
app.add_typer(deviations.app, name="deviations")
app.add_typer(evidence.app, name="evidence")
import_folders.add_to(import_cmd.app)
export_folders.add_to(export_cmd.app)
app.add_typer(import_cmd.app, name="import")
app.add_typer(export_cmd.app, name="export")


def _version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        print(f"stackproof {version('stackproof')}")
        raise typer.Exit


@app.callback()
def stackproof(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Say which one")] = False,
) -> None:
    """Prove and release a stack of patches on a pinned upstream.

    Exit status: 0 holds, 1 does not hold, 2 cannot judge, 70 a defect of ours.
    """
    del version


def main() -> None:
    """Run the command line; usage errors exit with 2, and with `--json` are a document like every other answer."""
    from builder.cli.session import Ended, say_usage

    try:
        sys.exit(app())
    except Ended:
        raise
    except SystemExit as ended:
        if ended.code == _USAGE and "--json" in sys.argv[1:]:
            say_usage()
        raise


_USAGE = 2
"""What the reader of command lines exits with when it does not understand one; it has told why on stderr."""

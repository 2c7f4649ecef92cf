"""`python -m verify BUNDLE`: check a sealed release with git and Python's standard library alone.

Prints a plain report, or one JSON document with `--json`. Exit status: 0 the bundle holds, 1 it does not, 2 it cannot
be judged (usage, no base, no git), 70 a defect of ours.
"""

import argparse
import json
import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

from verify.bundle.check import check_bundle
from verify.bundle.report import SCHEMA, report_json, report_text
from verify.bundle.signatures import read_signers
from verify.model.diagnostic import Diagnostic, ExitCode, Fault
from verify.report.json import diagnostic_json
from verify.report.terminal import encodable, render_diagnostics


def main(arguments: Sequence[str] | None = None) -> int:
    """Check the bundle that the command line names; gives the exit status."""
    asked = _parser().parse_args(arguments)
    try:
        signers = read_signers(asked.signers) if asked.signers is not None else None
        report = check_bundle(asked.bundle, base=asked.base, signers=signers)
    except Fault as fault:
        return _cut_short(fault.diagnostics, ExitCode.CANNOT_JUDGE, as_json=asked.json)
    except KeyboardInterrupt:
        stopped = Diagnostic(code="interrupted", message="interrupted; nothing was written", help="run it again")
        return _cut_short((stopped,), ExitCode.CANNOT_JUDGE, as_json=asked.json)
    except Exception:  # noqa: BLE001 - the last line of defence: a defect must never look like a judgement
        traceback.print_exc()
        defect = Diagnostic(code="our-defect", message="the checker itself failed, so nothing is known of the bundle")
        return _cut_short((defect,), ExitCode.OUR_DEFECT, as_json=asked.json)
    said = _say(json.dumps(report_json(report), indent=2) + "\n" if asked.json else report_text(report))
    return int(report.exit_code() if said else ExitCode.CANNOT_JUDGE)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m verify",
        description="Check a sealed release with git and Python alone. No network is used and nothing is executed.",
        epilog="example: python -m verify dist/llama-cpp-0.3.36-r1 --base llama_cpp_python-0.3.36.tar.gz",
    )
    parser.add_argument("bundle", type=Path, help="the folder that was sealed", metavar="BUNDLE")
    parser.add_argument(
        "--base", type=Path, help="the pinned archive, or a git folder that has the base", metavar="PATH"
    )
    parser.add_argument(
        "--signers",
        type=Path,
        help="whose signature is asked for: `NAME TYPE KEY` a line, as ssh writes it",
        metavar="FILE",
    )
    parser.add_argument(
        "--offline", action="store_true", help="use no network (it never does; for scripts that say so)"
    )
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout, with a schema version")
    return parser


def _cut_short(diagnostics: Sequence[Diagnostic], status: ExitCode, *, as_json: bool) -> int:
    """Say why there is no report."""
    if as_json:
        told = [diagnostic_json(each) for each in diagnostics]
        _say(json.dumps({"schema": SCHEMA, "exit": int(status), "diagnostics": told}, indent=2) + "\n")
    sys.stderr.write(encodable(render_diagnostics(diagnostics), sys.stderr))
    return int(status)


def _say(text: str) -> bool:
    """Write to stdout; False when it could not be written, so that nobody takes silence for a judgement."""
    if sys.stdout is None:  # closed by the caller, who does not want to read it
        return True
    try:
        sys.stdout.write(encodable(text, sys.stdout))
        sys.stdout.flush()
    except OSError as error:
        # What is left in the buffer goes nowhere, or leaving the process would try, and fail, once more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):  # a reader that went away (`| head`) is no error of ours
            print(f"error[output-refused]: the result could not be written: {error.strerror}", file=sys.stderr)
            return False
    return True


if __name__ == "__main__":
    raise SystemExit(main())

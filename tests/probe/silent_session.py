"""A program that runs a session on an engine which never answers; to be ended from outside."""

import sys
from pathlib import Path

from tests.probe.fake_engine import SYSTEM, arm, build_need, fake_engine, model_file, token_need
from verify.model.progress import Silent
from verify.probe.run import run_probe


def main(folder: Path) -> None:
    """Run it under `folder`."""
    run_probe(
        need=token_need(arm("only", FAKE="mute")),
        builds={build_need("engine"): fake_engine(folder)},
        model=model_file(folder),
        scratch=folder / "scratch",
        progress=Silent(),
        system=SYSTEM,
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]))

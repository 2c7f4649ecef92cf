"""Probe `config-dump`: what each arm's build was configured with, and what its running server says it has.

The two are asked apart, since they can differ: an option may be set and lead to nothing. Options are read from the
description that lies beside a kept build, features from the line `system_info:` of the log, properties from `/props`.
"""

import re
import time
from collections.abc import Iterable, Iterator

from verify.model.config_dump import ConfigDumpArm, ConfigDumpObservation, ConfigDumpSettings
from verify.model.diagnostic import Diagnostic, EnvironmentFault
from verify.model.evidence import Arm
from verify.probe.blame import blamed
from verify.probe.engine import BuiltEngine
from verify.probe.http import BrokenAnswer, NoAnswer, Refused, fetch_document
from verify.probe.identity import loaded_files
from verify.probe.llama import server_options
from verify.probe.server import Logs, RunningServer, serve
from verify.probe.session import Bench
from verify.probe.test_set import configured_of

RECIPE = "1"
_LINE = "system_info:"
_FEATURE = re.compile(r"(?:(?P<backend>[A-Za-z0-9_.-]+) : )?(?P<name>[A-Za-z0-9_]+) = (?P<value>\S+)")


def run_config_dump(bench: Bench, settings: ConfigDumpSettings) -> ConfigDumpObservation:
    """Each arm once."""
    started = time.monotonic()
    arms: list[ConfigDumpArm] = []
    for arm, engine in bench.arms:
        bench.stage.tell(f"arm `{arm.name}`")
        with blamed(arm, arms[0].arm if arms else None):
            arms.append(_dumped(bench, settings, arm, engine))
    return ConfigDumpObservation(arms=tuple(arms), seconds=round(time.monotonic() - started, 3))


def read_features(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """What an engine says in its log it was built with, as `BACKEND.NAME`; what stands before the first bar is not."""
    for line in lines:
        if _LINE not in line:
            continue
        backend = ""
        for part in line.partition(_LINE)[2].split("|")[1:]:
            found = _FEATURE.fullmatch(part.strip())
            if found is not None:
                backend = found["backend"] or backend
                yield f"{backend}.{found['name']}", found["value"]


def _dumped(bench: Bench, settings: ConfigDumpSettings, arm: Arm, engine: BuiltEngine) -> ConfigDumpArm:
    options = configured_of(engine).options
    logs = Logs(out=bench.scratch / f"{arm.name}.out", err=bench.scratch / f"{arm.name}.err")
    with serve(
        arm=arm,
        engine=engine,
        model=bench.model_file(),
        settings=settings.server,
        logs=logs,
        home=bench.scratch,
        limits=bench.limits,
    ) as server:
        loaded = loaded_files(
            server.process.pid, folder=engine.program().parent, build=engine.observation, system=bench.system
        )
        properties = _properties(server, settings.properties)
    return ConfigDumpArm(
        arm=arm.name,
        options=tuple((name, value) for name, value in options if re.search(settings.kept, name)),
        features=tuple(sorted(dict(read_features(logs.lines())).items())),
        properties=properties,
        loaded=loaded,
        command=server_options(settings.server),
    )


def _properties(server: RunningServer, names: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    if not names:
        return ()
    try:
        said = fetch_document(server.dial, "/props", server.limits.answer_seconds)
    except (NoAnswer, Refused, BrokenAnswer) as error:
        raise EnvironmentFault(
            Diagnostic(
                code="answer-broken",
                message=f"the server of arm `{server.arm}` does not tell its properties: {error}",
                notes=server.logs.tail(),
            )
        ) from error
    return tuple((name, str(said[name])) for name in sorted(set(names)) if isinstance(said.get(name), (str, int)))

"""What ran is what was built: the files that a measured process had loaded against the record of its build."""

from collections.abc import Iterable

from verify.gates.case import Case
from verify.model.diagnostic import Diagnostic
from verify.model.evidence import Arm, ProbeNeed
from verify.model.observation import LoadedFile


def foreign_libraries(need: ProbeNeed, arm: Arm, loaded: Iterable[LoadedFile], case: Case) -> tuple[Diagnostic, ...]:
    """Why what an arm had loaded is not believed; empty when every file of the engine is the one that was built."""
    build = case.builds.get(arm.build)
    if build is None:
        return case.missing((arm.build,))
    recorded = {artifact.name: artifact.sha256 for artifact in build.observation.artifacts}
    own = {file.name: file.sha256 for file in loaded if file.built}
    if not own:
        return (session_incomplete(need, f"it is not known which built files arm `{arm.name}` had loaded"),)
    return tuple(
        Diagnostic(
            code="foreign-library",
            message=f"arm `{arm.name}` ran with a `{name}` that is not the one of its build",
            notes=(f"loaded: SHA-256 {digest}", f"built: {recorded.get(name, 'no file of this name')}"),
            help="stackproof gate --fresh",
        )
        for name, digest in own.items()
        if recorded.get(name) != digest
    )


def session_incomplete(need: ProbeNeed, why: str) -> Diagnostic:
    """The reason for not judging by a session that lacks what it was run for."""
    with_model = f" with model `{need.model}`" if need.model is not None else ""
    return Diagnostic(
        code="session-incomplete",
        message=f"a session of probe `{need.probe}`{with_model} proves nothing: {why}",
        help="stackproof gate --fresh",
    )

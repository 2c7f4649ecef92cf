"""Config dump: the build really has what the release says that it was configured with.

A feature that is compiled out, an option that was misspelt, or another instruction set makes every other gate compare
something that is not released. So three things are asked of each arm: CMake's cache, what the running engine says it
has, and the server's own properties. Options that the configuration declares must be in the cache as declared; what
`options`, `features` and `properties` name must be so; all else must be on the tip as it is upstream.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from verify.gates.answers import unmet
from verify.gates.case import Case
from verify.gates.identity import foreign_libraries, session_incomplete
from verify.gates.kind import Kind, Scope
from verify.gates.own_tests import no_tree, reference_and_own
from verify.model.config_dump import ConfigDumpArm, ConfigDumpObservation, ConfigDumpSettings
from verify.model.diagnostic import Diagnostic, Finding
from verify.model.evidence import Need, ProbeNeed
from verify.model.ids import ConfigName, ModelName
from verify.model.session import ServerSettings, settings_of
from verify.model.verdict import Failed, Outcome, Passed


@dataclass(frozen=True, slots=True, kw_only=True)
class Params:
    """`NAME=VALUE` of what must be so; a value left out (`NAME=`) says that it must not be there.

    `kept` are the options of CMake's cache that are compared at all; `may_differ` patterns of names, each with what it
    is of (`option:NAME`, `feature:NAME`, `property:NAME`), that may differ from upstream.
    """

    model: ModelName = field(metadata={"refers": "model"})
    configuration: ConfigName = field(metadata={"refers": "configuration"})
    options: tuple[str, ...] = ()
    features: tuple[str, ...] = ()
    properties: tuple[str, ...] = ()
    kept: str = field(default="^(GGML|LLAMA)_", metadata={"pattern": True})
    may_differ: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if wrong := [each for each in (*self.options, *self.features, *self.properties) if "=" not in each[1:]]:
            raise ValueError(f"`{wrong[0]}` does not say what it must be; write `NAME=VALUE`, or `NAME=` for nothing")


def needs(params: Params, case: Case) -> tuple[Need, ...]:
    """The dump of upstream and the tip."""
    need = _need(params, case)
    return () if need is None else (need,)


def check(params: Params, case: Case) -> Outcome:
    """Both arms are as declared, and alike."""
    need = _need(params, case)
    if need is None:
        return unmet(no_tree(case))
    if reasons := _unusable(need, case):
        return unmet(reasons)
    first, last = case.seen(need, ConfigDumpObservation).arms
    findings = (*_declared(params, case, first), *_declared(params, case, last), *_alike(params, first, last))
    if findings:
        return Failed(summary=findings[0].message, findings=findings)
    asked = len(_configured(params, case)) + len(params.options) + len(params.features) + len(params.properties)
    counts = f"{len(last.options)} options, {len(last.features)} features, {len(last.properties)} properties"
    return Passed(summary=f"{counts} as with `{first.arm}`, {asked} of them as declared")


def _need(params: Params, case: Case) -> ProbeNeed | None:
    arms = reference_and_own(case, params.configuration)
    if arms is None:
        return None
    named = sorted(_configured(params, case).keys() | _wanted(params.options).keys())
    settings = ConfigDumpSettings(
        server=ServerSettings(context=256),
        kept="|".join((f"(?:{params.kept})", *(f"^{re.escape(name)}$" for name in named))),
        properties=tuple(sorted(_wanted(params.properties))),
    )
    return ProbeNeed(probe="config-dump", model=params.model, arms=arms, settings=settings_of(settings))


def _wanted(said: Iterable[str]) -> Mapping[str, str]:
    return {name: value for name, _, value in (each.partition("=") for each in said)}


def _configured(params: Params, case: Case) -> Mapping[str, str]:
    """The options that the configuration declares."""
    known = (each for each in case.release.configurations if each.name == params.configuration)
    return {name: value for each in known for name, value in each.options}


def _unusable(need: ProbeNeed, case: Case) -> tuple[Diagnostic, ...]:
    if reasons := case.missing((need,)):
        return reasons
    seen = case.seen(need, ConfigDumpObservation).arms
    if tuple(arm.arm for arm in seen) != tuple(arm.name for arm in need.arms):
        return (session_incomplete(need, "it does not have the arms that were asked for"),)
    reasons = ()
    for asked, arm in zip(need.arms, seen, strict=True):
        reasons += foreign_libraries(need, asked, arm.loaded, case)
    return reasons


def _declared(params: Params, case: Case, arm: ConfigDumpArm) -> Iterator[Finding]:
    wanted = {**_configured(params, case), **_wanted(params.options)}
    yield from _so("option-not-taken", "option", wanted, arm.options, arm.arm)
    yield from _so("feature-not-built", "feature", _wanted(params.features), arm.features, arm.arm)
    yield from _so("property-differs", "property", _wanted(params.properties), arm.properties, arm.arm)


def _so(
    code: str, what: str, wanted: Mapping[str, str], met: tuple[tuple[str, str], ...], arm: str
) -> Iterator[Finding]:
    have = dict(met)
    for name, value in wanted.items():
        if have.get(name, "") != value:
            yield Diagnostic(
                code=code,
                message=f"arm `{arm}`: {what} `{name}` is {_shown(have.get(name))}, expected {_shown(value)}",
            )


def _alike(params: Params, first: ConfigDumpArm, last: ConfigDumpArm) -> Iterator[Finding]:
    for what, ours, theirs in (
        ("option", first.options, last.options),
        ("feature", first.features, last.features),
        ("property", first.properties, last.properties),
    ):
        one, two = dict(ours), dict(theirs)
        for name in sorted(one.keys() | two.keys()):
            if one.get(name) == two.get(name) or any(fnmatchcase(f"{what}:{name}", each) for each in params.may_differ):
                continue
            yield Diagnostic(
                code="configuration-differs",
                message=f"{what} `{name}` is {_shown(one.get(name))} with `{first.arm}` and "
                f"{_shown(two.get(name))} with `{last.arm}`",
                help=f'where that is meant, say so: "may_differ": ["{what}:{name}"]',
            )


def _shown(value: str | None) -> str:
    return f"`{value}`" if value else "not there"


KIND = Kind(
    name="config-dump",
    about="the build has the options and features that are declared, and otherwise upstream's",
    scope=Scope.ANY,
    standing=False,
    structural=False,
    params=Params,
    needs=needs,
    check=check,
)

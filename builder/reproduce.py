"""The same tree built twice, in two folders at two times, and compared byte for byte.

Or once in a warm lane, on what another tree left there, and once in a fresh one: whether a warm folder can be told
from a fresh one by what comes out.

Each build has a cache folder of its own, so that neither the place nor the compiler cache is shared: what comes out
equal came out equal of two compilers' runs.
"""

from dataclasses import dataclass, replace
from pathlib import Path

from builder.compile.build import Built, build, find_build
from builder.compile.differ import Difference, differ
from builder.compile.toolchain import Toolchain
from builder.compile.warm import Warmed, build_warm
from builder.pipeline import Stacked, Workshop
from builder.scratch import scratch
from verify.model.diagnostic import Diagnostic, EnvironmentFault
from verify.model.evidence import BuildNeed
from verify.model.ids import TreeId
from verify.model.observation import BuildObservation
from verify.model.progress import Prefixed
from verify.model.release import Configuration


@dataclass(frozen=True, slots=True, kw_only=True)
class Reproduced:
    """Both builds and how they differ; `kept_differs` are the files of the kept build that are not what they gave."""

    builds: tuple[BuildObservation, BuildObservation]
    difference: Difference
    kept_differs: tuple[str, ...]


def reproduce(
    *,
    need: BuildNeed,
    configuration: Configuration,
    toolchain: Toolchain,
    stacked: Stacked,
    workshop: Workshop,
    after: TreeId | None = None,
) -> Reproduced:
    """Build the tree in two folders of different names and lengths; both are removed again.

    With `after`, the first is a warm lane that has built that tree before, and both share the compiler cache.
    """
    workshop.cache.mkdir(parents=True, exist_ok=True)
    with scratch(workshop.cache, "reproduce-") as root:
        places = (root / "here", root / "and-elsewhere")
        folders, seen = [], []
        if after is not None:
            _share_compiler_cache(workshop.cache, places)
        for number, place in enumerate(places, start=1):
            progress = Prefixed(workshop.progress, f"build {number}/2")
            made: Built | Warmed
            if after is not None and number == 1:
                for tree in (after, need.tree):
                    made = build_warm(
                        need=replace(need, tree=tree),
                        configuration=configuration,
                        toolchain=toolchain,
                        source=stacked.store,
                        cache=place,
                        progress=progress,
                        keep=True,
                    )
                    if made.folder is None:
                        raise EnvironmentFault(_not_built(replace(need, tree=tree), made.observation))
            else:
                made = build(
                    need=need,
                    configuration=configuration,
                    toolchain=toolchain,
                    source=stacked.store,
                    cache=place,
                    progress=progress,
                )
            if made.folder is None:
                raise EnvironmentFault(_not_built(need, made.observation))
            folders.append(made.folder)
            seen.append(made.observation)
        lanes = (places[0] / "lanes" / configuration.name, places[1] / "lanes" / configuration.name)
        kept = find_build(need=need, configuration=configuration, toolchain=toolchain, cache=workshop.cache)
        return Reproduced(
            builds=(seen[0], seen[1]),
            difference=differ(folders[0], folders[1], lanes=lanes),
            kept_differs=_unlike(kept.observation, seen[0]) if kept is not None else (),
        )


def _share_compiler_cache(cache: Path, places: tuple[Path, Path]) -> None:
    (cache / "ccache").mkdir(parents=True, exist_ok=True)
    for place in places:
        place.mkdir()
        (place / "ccache").symlink_to(cache / "ccache")


def _unlike(kept: BuildObservation, made: BuildObservation) -> tuple[str, ...]:
    """Files that are not the same in both; the kept ones were made with a compiler cache, in another place."""
    one, two = ({each.name: each.sha256 for each in seen.artifacts} for seen in (kept, made))
    return tuple(sorted(name for name in one.keys() | two.keys() if one.get(name) != two.get(name)))


def _not_built(need: BuildNeed, seen: BuildObservation) -> Diagnostic:
    return Diagnostic(
        code="arm-not-built",
        message=f"tree {need.tree} does not build in `{need.configuration}`, so nothing is compared",
        notes=tuple(f"{each.file}:{each.line}: {each.text}" for each in seen.errors[:1]),
        help="stackproof build",
    )

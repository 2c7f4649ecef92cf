"""Where everything came from: the base, the tools, the models, and every record with who made it, where and when."""

from collections import Counter
from collections.abc import Iterator

from builder.report.facts import Facts
from builder.report.spelled import seconds, short
from builder.report.view import Cell, Provenance, Table
from verify.model.codec import to_json
from verify.model.evidence import Evidence
from verify.model.release import (
    ArchiveSource,
    FolderSource,
    GeneratedModel,
    GitSource,
    PackageModel,
    SdistSource,
)
from verify.model.trust import role_of


def provenance_of(facts: Facts) -> Provenance:
    """All of it."""
    return Provenance(facts=tuple(_facts(facts)), tables=tuple(_tables(facts)), evidence=_evidence(facts))


def _facts(facts: Facts) -> Iterator[tuple[str, Cell]]:
    release = facts.case.release
    yield "base from", Cell(text=source_of(release.base.source))
    yield "base commit", Cell(text=facts.base_commit, fixed=True)
    yield "base tree", Cell(text=facts.case.base_tree, fixed=True)
    tip = facts.case.tip_tree()
    yield "tip tree", Cell(text=tip, fixed=True) if tip else Cell(text="none: the stack sticks")
    reference = release.reference
    yield "recorded tip", Cell(text=reference.tip_tree, fixed=True) if reference else Cell(text="nothing is pinned yet")
    yield "declared files", Cell(text=f"sha256 {release.digest}", fixed=True)
    if facts.tools is not None:
        yield "toolchain", Cell(text=f"sha256 {facts.tools.digest}", fixed=True, more=(facts.tools.about,))
    else:
        yield "toolchain", Cell(text="none was found here")


def source_of(source: object) -> str:
    """A source in words."""
    match source:
        case SdistSource():
            return f"{source.package} {source.version}, its source distribution, sha256 {source.sha256}"
        case ArchiveSource():
            return f"{source.file}, sha256 {source.sha256}"
        case GitSource():
            return f"{source.repository} at {source.commit}"
        case FolderSource():
            return f"the folder {source.path}"
        case _:
            # a kind of source that came later: by what it says of itself
            said = to_json(source)
            words = (f"{name} {value}" for name, value in said.items() if value) if isinstance(said, dict) else ()
            return ", ".join(words)


def _tables(facts: Facts) -> Iterator[Table]:
    made = Counter((each.made_by, each.made_on) for each in facts.records)
    yield Table(
        caption="Who measured",
        heads=("who", "role", "where", "records"),
        rows=tuple(
            (Cell(text=by), Cell(text=role_of(by).value), Cell(text=on), Cell(text=str(number), number=True))
            for (by, on), number in sorted(made.items())
        ),
        empty="Nothing was measured.",
    )
    if facts.foreign:
        yield Table(
            caption="Measured elsewhere and signed",
            heads=("by", "as", "on", "records", "counts as"),
            rows=tuple(
                (
                    Cell(text=each.signer),
                    Cell(text=each.role),
                    Cell(text=each.hardware or "any machine"),
                    Cell(text=str(each.records), number=True),
                    Cell(text="evidence" if each.counts else "claims"),
                )
                for each in facts.foreign
            ),
        )
    yield Table(
        caption="Models",
        heads=("model", "from", "licence", "sha256"),
        rows=tuple(
            (Cell(text=pin.name), Cell(text=_model(pin)), Cell(text=pin.licence), Cell(text=pin.sha256, fixed=True))
            for pin in facts.case.release.models
        ),
        empty="No model is declared.",
    )
    if facts.tools is not None:
        yield Table(
            caption="What the toolchain's digest covers",
            heads=("part", "what it says, or its sha256"),
            rows=tuple((Cell(text=name), Cell(text=value, fixed=True)) for name, value in facts.tools.parts.items()),
            level=0,
            dense=True,
        )


def _model(pin: PackageModel | GeneratedModel) -> str:
    match pin:
        case PackageModel():
            return f"{pin.package} {pin.version}, {pin.member}"
        case GeneratedModel():
            return f"made by the generator {pin.generator}"


def _evidence(facts: Facts) -> Table:
    return Table(
        caption="Evidence: every record that a build or gate above rests on",
        heads=("key", "kind", "about", "made by", "on", "at", "took"),
        rows=tuple(_record(each) for each in facts.records),
        empty="There is no record.",
        level=0,
        dense=True,
    )


def _record(each: Evidence) -> tuple[Cell, ...]:
    return (
        Cell(text=each.key.digest, fixed=True, id=f"e-{each.key.digest}"),
        Cell(text=each.key.kind),
        Cell(text=_about(each)),
        Cell(text=each.made_by),
        Cell(text=each.made_on),
        Cell(text=each.made_at),
        Cell(text=seconds(each.seconds), number=True),
    )


def _about(each: Evidence) -> str:
    """What was looked at: the tree of a build, the arms and the model of a session."""
    parts = dict(each.key.parts)
    if each.key.kind == "build":
        return f"tree {short(parts.get('tree', ''))}"
    arms = each.observation.get("arms")
    names = (
        [str(arm["arm"]) for arm in arms if isinstance(arm, dict) and "arm" in arm] if isinstance(arms, list) else []
    )
    model = parts.get("model", "")
    return "; ".join(part for part in (", ".join(names), f"model {short(model)}" if model else "") if part)

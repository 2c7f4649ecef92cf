"""What was built: every proof in every configuration, what it cost, and what its block brings."""

from collections.abc import Iterator

from builder.report.facts import BuildFact, Facts
from builder.report.spelled import change, seconds, short, size
from builder.report.view import Cell, Table
from verify.model.observation import BuildObservation
from verify.model.release import Configuration
from verify.model.wording import count


def builds_of(facts: Facts) -> Iterator[Table]:
    """One table a configuration, one row a proof, from the base upwards."""
    for each in facts.case.release.configurations:
        yield Table(
            caption=f"Configuration {each.name}",
            note=_about(each),
            heads=("proof", "state", "CPU time", "own objects", "warnings", "built files", "tree"),
            rows=tuple(_row(fact) for fact in facts.builds if fact.need.configuration == each.name),
            empty="It asks for no proof, so nothing is built.",
        )


def _about(configuration: Configuration) -> str:
    targets = count(len(configuration.targets), "target") if configuration.targets else "every target"
    proofs = ", ".join(each.value for each in configuration.proofs) or "none"
    return f"{configuration.build_type}, {targets}, {count(len(configuration.options), 'option')}; proofs: {proofs}"


def _row(fact: BuildFact) -> tuple[Cell, ...]:
    head = Cell(text=fact.title)
    tree = Cell(text=short(fact.need.tree), fixed=True)
    if fact.built is None:
        reason = fact.reasons[0] if fact.reasons else None
        # that nobody has built it is the usual case, and the tree stands at the end of the row
        why = "not built yet" if reason is None or reason.code == "not-built" else reason.message
        return (
            head,
            Cell(text="undecided", state="undecided", more=(why,)),
            *(Cell(text="–", idle=True) for _ in range(4)),
            tree,
        )
    seen = fact.built.observation
    return (head, _state(fact, seen), _time(seen), _objects(fact), _warnings(fact, seen), _sizes(fact, seen), tree)


def _state(fact: BuildFact, seen: BuildObservation) -> Cell:
    link = ((f"#e-{fact.built.key}", fact.built.key[:8]),) if fact.built else ()
    if seen.ok:
        return Cell(text="builds", state="passed", links=link)
    error = seen.errors[0] if seen.errors else None
    said = f"{error.file}:{error.line}: {error.text}" if error else f"at {seen.failed_step or 'an unnamed step'}"
    return Cell(text="fails", state="failed", links=link, more=(said,))


def _time(seen: BuildObservation) -> Cell:
    cached = f"{seen.compiled} compiled, {seen.cache_hits} cached"
    return Cell(text=seconds(seen.cpu_seconds), number=True, more=(cached,))


def _objects(fact: BuildFact) -> Cell:
    weight = fact.weight
    if weight is None or weight.objects is None:
        return Cell(text="not known" if fact.below else "all", number=True)
    took = f"{seconds(weight.compile_seconds)} to compile" if weight.compile_seconds else ""
    grown = change(weight.object_bytes) if weight.object_bytes is not None else ""
    return Cell(text=str(len(weight.objects)), number=True, more=tuple(each for each in (took, grown) if each))


def _warnings(fact: BuildFact, seen: BuildObservation) -> Cell:
    known = len(set(seen.warnings))
    if fact.weight is None:
        return Cell(text=str(known), number=True, more=("upstream's own",) if not fact.below and known else ())
    return Cell(
        text=f"{len(fact.weight.warnings)} new",
        number=True,
        state="failed" if fact.weight.warnings else "",
        more=(f"{known} in all",),
    )


def _sizes(fact: BuildFact, seen: BuildObservation) -> Cell:
    total = size(sum(each.size for each in seen.artifacts))
    if fact.weight is None:
        return Cell(text=total, number=True, more=(count(len(seen.artifacts), "file"),))
    return Cell(text=total, number=True, more=(f"{change(fact.weight.binary_bytes)} on {fact.below}",))

"""`stackproof evidence …`: what was measured, by whom and where; and evidence from and for other machines."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from builder.cli.options import HERE, AsJson, Project
from builder.cli.session import Answer, Session, run
from verify.model.diagnostic import Diagnostic, EnvironmentFault, InputFault
from verify.model.ids import Sha256

if TYPE_CHECKING:
    from verify.evidence import EvidenceStore
    from verify.model.evidence import Evidence

app = typer.Typer(no_args_is_help=True, help="Records of what was measured: by whom, where, and what they say")


@app.command("show")
def show(
    key: Annotated[
        str, typer.Argument(help="A record's key, or how it begins; all kinds and imports without one")
    ] = "",
    project: Project = HERE,
    as_json: AsJson = False,
) -> None:
    """Show a record: its key part by part, its figures, who made it, where and when.

    Examples: stackproof evidence show; stackproof evidence show 5b1f09 --json
    """

    def body(session: Session) -> Answer:
        return _show(session, key) if key else _kinds(session)

    run("evidence", body, root=project, as_json=as_json)


@app.command("diff")
def diff(
    one: Annotated[str, typer.Argument(help="A record's key, or how it begins")],
    other: Annotated[str, typer.Argument(help="Another one")],
    project: Project = HERE,
    as_json: AsJson = False,
) -> None:
    """Say where two records differ: parts of their keys, then what was observed. Exit status 1 when they do.

    Example: stackproof evidence diff 5b1f09 77aa01
    """
    run("evidence", lambda session: _diff(session, one, other), root=project, as_json=as_json)


@app.command("gc")
def gc(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would go and remove nothing")] = False,
    project: Project = HERE,
    as_json: AsJson = False,
) -> None:
    """Remove records that no gate of this release asks for, damaged ones, and imports that nobody signed.

    Example: stackproof evidence gc --dry-run
    """
    run("evidence", lambda session: _gc(session, dry_run=dry_run), root=project, as_json=as_json, offline=True)


@app.command("export")
def export(
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="Where to write; the signature goes to FILE.sig")],
    signer: Annotated[str, typer.Option("--as", metavar="NAME", help="The signer that release.json gives this key")],
    key: Annotated[Path, typer.Option("--key", metavar="FILE", help="The ssh key to sign with")],
    gates: Annotated[list[str] | None, typer.Argument(help="The gates whose evidence it is; all without one")] = None,
    hardware: Annotated[str, typer.Option("--hardware", metavar="NAME", help="What this machine is")] = "",
    project: Project = HERE,
    as_json: AsJson = False,
) -> None:
    """Write the evidence that gates rest on here, signed, for somebody who has not this machine.

    Example: stackproof evidence export golden-gpu --hardware gpu --as gpu-box --key ~/.ssh/id_ed25519 --out gpu.json
    """
    from builder.cli.testimonies import export_answer

    run(
        "evidence",
        lambda session: export_answer(session, tuple(gates or ()), out=out, signer=signer, key=key, hardware=hardware),
        root=project,
        as_json=as_json,
        offline=True,
    )


@app.command("import")
def import_(
    file: Annotated[Path, typer.Argument(help="What `evidence export` wrote on the other machine")],
    signature: Annotated[
        Path | None, typer.Option("--signature", metavar="FILE", help="Its signature (default: beside it, .sig)")
    ] = None,
    project: Project = HERE,
    as_json: AsJson = False,
) -> None:
    """Take evidence from another machine, if somebody signed it whom release.json trusts.

    What a contributor signed is kept and shown as a claim, and decides nothing.

    Example: stackproof evidence import gpu.json
    """
    from builder.cli.testimonies import import_answer

    run("evidence", lambda session: import_answer(session, file, signature), root=project, as_json=as_json)


def _store(session: Session) -> "EvidenceStore":
    from verify.evidence import EvidenceStore

    return EvidenceStore(session.cache / "evidence")


def _kinds(session: Session) -> Answer:
    from builder import pipeline
    from builder.cli.tables import table
    from builder.foreign import Import, ImportStore
    from verify.model.wording import count

    store = _store(session)
    policy = pipeline.read_unpinned(session.workshop()).policy
    kinds = [path.name for path in sorted(store.folder.glob("*")) if path.is_dir()]
    rows, data = [], []
    for kind in kinds:
        records = list(store.every(kind))
        makers = ", ".join(sorted({each.made_by for each in records}))
        rows.append((kind, str(len(records)), makers))
        data.append({"kind": kind, "records": len(records), "made_by": sorted({each.made_by for each in records})})
    faults: list[Diagnostic] = []
    lines, imports = [], []
    for each in ImportStore(session.cache / "imports").every(policy):
        if not isinstance(each, Import):
            faults += each.diagnostics
            continue
        said = each.testimony
        what = "evidence" if each.counts else "claims"
        where = f" on {said.hardware}" if said.hardware else ""
        lines.append(f"{each.digest[:12]}  {what}: {count(len(said.records), 'record')} by {said.made_by()}{where}")
        imports.append(
            {
                "digest": each.digest,
                "counts": each.counts,
                "signer": said.signer,
                "role": said.role.value,
                "hardware": said.hardware,
                "release": said.release,
                "records": [record.key.digest for record in said.records],
            }
        )
    text = table(("kind", "records", "made by"), rows)
    return Answer(
        text="\n".join((text, "", "imported:", *lines)) if lines else text,
        data={"kinds": data, "imports": imports},
        diagnostics=tuple(faults),
    )


def _show(session: Session, key: str) -> Answer:
    from builder.cli.tables import table
    from builder.figures import figures, shown

    record = _record(session, key)
    rows = [("key", record.key.digest), ("kind", record.key.kind)]
    rows += [(f"  {name}", shown(value)) for name, value in record.key.parts]
    rows += [("made by", record.made_by), ("made on", record.made_on), ("made at", record.made_at)]
    rows += [("took", f"{record.seconds:.1f} s"), ("observed", "")]
    rows += [(f"  {name}", value) for name, value in figures(record)]
    return Answer(
        text=table(("record", ""), rows),
        data={
            "key": {"kind": record.key.kind, "digest": record.key.digest, "parts": dict(record.key.parts)},
            "made_by": record.made_by,
            "made_on": record.made_on,
            "made_at": record.made_at,
            "seconds": record.seconds,
            "observation": dict(record.observation),
        },
    )


def _record(session: Session, key: str) -> "Evidence":
    """The record whose key begins so; refuses none, several, and a damaged one."""
    from verify.model.evidence import Evidence

    store = _store(session)
    found = sorted(path for path in store.folder.glob("*/??/*.json") if path.stem.startswith(key))
    if len(found) != 1:
        several = tuple(f"{path.parent.parent.name} {path.stem}" for path in found[:10])
        raise InputFault(
            Diagnostic(
                code="unknown-record",
                message=f"{'several records begin' if found else 'there is no record that begins'} with `{key[:80]}`",
                notes=several,
                help="stackproof gate --why GATE names the records that a gate rests on",
            )
        )
    record = store.named(Sha256(found[0].stem))
    if isinstance(record, Evidence):
        return record
    raise EnvironmentFault(*((record.damage,) if record.damage else ()))


def _diff(session: Session, one: str, other: str) -> Answer:
    from builder.cli.tables import table
    from builder.figures import differences, shown
    from verify.model.diagnostic import ExitCode

    left, right = _record(session, one), _record(session, other)
    found = differences(left, right)
    rows = [(each.place, shown(each.one), shown(each.other)) for each in found[:200]]
    more = f"\n{len(found) - len(rows)} more differences" if len(found) > len(rows) else ""
    return Answer(
        text=table(("", left.key.digest[:12], right.key.digest[:12]), rows) + more if rows else "they say the same",
        data={
            "one": left.key.digest,
            "other": right.key.digest,
            "differences": [{"place": each.place, "one": each.one, "other": each.other} for each in found],
        },
        exit=ExitCode.DOES_NOT_HOLD if found else ExitCode.HOLDS,
    )


def _gc(session: Session, *, dry_run: bool) -> Answer:
    import shutil

    from builder import gc as collector
    from builder import pipeline
    from builder.cli.gc import needed_by
    from builder.foreign import Import, ImportStore
    from builder.measure import Bench
    from verify.model.wording import count

    workshop = session.workshop()
    stacked = pipeline.stack(pipeline.read_unpinned(workshop), workshop, against_lock=False)
    bench = Bench(stacked=stacked, workshop=workshop, fresh=False)
    needed = needed_by(bench, pipeline.case(stacked, workshop))
    records = [
        item
        for item in collector.items_in(workshop.cache, needed)
        if workshop.cache / "evidence" in item.path.parents and not item.needed
    ]
    store = ImportStore(workshop.cache / "imports")
    believed = {each.digest for each in store.every(stacked.release.policy) if isinstance(each, Import)}
    imports = [place for place in store.places() if place.name not in believed]
    if not dry_run:
        records = list(collector.remove(records, workshop.cache))
        for place in imports:
            shutil.rmtree(place)
    size = sum(item.size for item in records) / 1024
    verb = "would go" if dry_run else "went"
    return Answer(
        text=f"{count(len(records), 'record')} ({size:.0f} KiB) and {count(len(imports), 'import')} {verb}",
        data={
            "dry_run": dry_run,
            "records": [item.path.stem for item in records],
            "imports": [place.name for place in imports],
        },
    )

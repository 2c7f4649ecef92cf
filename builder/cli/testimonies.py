"""Evidence for and from other machines: what `stackproof evidence export` and `import` do."""

from pathlib import Path
from typing import TYPE_CHECKING

from builder.cli.session import Answer, Session
from verify.model.diagnostic import Diagnostic, InputFault, Place, Severity

if TYPE_CHECKING:
    from verify.model.evidence import Evidence


def export_answer(
    session: Session, names: tuple[str, ...], *, out: Path, signer: str, key: Path, hardware: str
) -> Answer:
    """Write and sign what these gates rest on here."""
    from dataclasses import replace

    from builder import pipeline
    from builder.cli.gate_names import chosen
    from builder.measure import Bench
    from verify.evidence import render_evidence
    from verify.gates.battery import gates_of
    from verify.judge import rule
    from verify.model.evidence import Evidence
    from verify.model.wording import count
    from verify.signature import check_signature, sign
    from verify.testimony import Testimony, render_testimony, witness_of

    workshop = session.workshop()
    release = pipeline.read(workshop)
    declared = release.policy.signer(signer)
    if declared is None:
        raise InputFault(_no_signer(signer, [each.name for each in release.policy.signers]))
    if hardware and hardware not in {each.name for each in release.hardware}:
        raise InputFault(_no_hardware(hardware, [each.name for each in release.hardware]))
    stacked = pipeline.stack(release, workshop)
    bench = Bench(stacked=stacked, workshop=workshop, fresh=False, hardware=frozenset({hardware} - {""}))
    gates = [each for each in chosen(gates_of(release), names) if not each.hardware or each.hardware == hardware]
    case = bench.known_steps(pipeline.case(stacked, workshop), gates)
    keys = dict.fromkeys(digest for gate in gates for digest in rule(gate, case).evidence)
    records = [record for record in map(bench.evidence.named, keys) if isinstance(record, Evidence)]
    if not records:
        raise InputFault(
            Diagnostic(
                code="nothing-to-export",
                message="no evidence is known here for these gates",
                help=f"stackproof gate{f' --hardware {hardware}' if hardware else ''}",
            )
        )
    made_by = witness_of(declared.role, declared.name)
    testimony = Testimony(
        signer=declared.name,
        role=declared.role,
        hardware=hardware,
        release=release.name,
        tip_tree=case.tip_tree() or case.base_tree,
        records=tuple(replace(record, made_by=made_by) for record in records),
    )
    data = render_testimony(testimony)
    signature = sign(data, key)
    check_signature(data, signature, declared, file=str(out))
    out.write_bytes(data)
    _signature_of(out).write_bytes(signature)
    what = f"{count(len(records), 'record')} of {count(len(gates), 'gate')}"
    return Answer(
        text=f"{out}: {what} by {made_by}, signed in {_signature_of(out)}",
        data={
            "file": str(out),
            "signature": str(_signature_of(out)),
            "signer": signer,
            "hardware": hardware,
            "records": [{"key": each.key.digest, "bytes": len(render_evidence(each))} for each in testimony.records],
        },
    )


def import_answer(session: Session, file: Path, signature: Path | None) -> Answer:
    """Check a testimony against its signature and the release's policy, and keep it."""
    from builder import pipeline
    from builder.foreign import ImportStore, read_import
    from verify.evidence import EvidenceStore
    from verify.model.evidence import Evidence
    from verify.model.wording import count

    workshop = session.workshop()
    policy = pipeline.read_unpinned(workshop).policy
    data, signed = _bytes(file), _bytes(signature or _signature_of(file))
    found = read_import(data, signed, policy, file=str(file))
    ImportStore(session.cache / "imports").put(data, signed)
    store, said = EvidenceStore(session.cache / "evidence"), found.testimony
    taken, contradicted = 0, []
    for record in said.records if found.counts else ():
        ours = store.get(record.key)
        if not isinstance(ours, Evidence):
            store.put(record)
            taken += 1
        elif ours.observation != record.observation:
            contradicted.append(_other_figures(record, ours))
    what = "kept as evidence" if found.counts else "kept as claims, which decide nothing"
    return Answer(
        text=f"{count(len(said.records), 'record')} by {said.made_by()}, {what}; {taken} new here",
        data={
            "digest": found.digest,
            "counts": found.counts,
            "signer": said.signer,
            "role": said.role.value,
            "hardware": said.hardware,
            "records": [each.key.digest for each in said.records],
            "new": taken,
        },
        diagnostics=tuple(contradicted),
    )


def _signature_of(file: Path) -> Path:
    return file.with_name(f"{file.name}.sig")


def _bytes(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except FileNotFoundError as error:
        raise InputFault(
            Diagnostic(
                code="signature-missing" if file.suffix == ".sig" else "file-missing",
                message=f"there is no {file}",
                place=Place(file=str(file)),
                notes=("foreign evidence is taken with its signature alone",) if file.suffix == ".sig" else (),
                help="stackproof evidence export writes both on the other machine",
            )
        ) from error


def _other_figures(theirs: "Evidence", ours: "Evidence") -> Diagnostic:
    return Diagnostic(
        code="testimony-contradicts",
        message=f"{theirs.key.kind} {theirs.key.digest}: `{theirs.made_by}` observed other than `{ours.made_by}`",
        notes=("the record that was here stays; times differ from run to run, token ids should not",),
        help=f"stackproof evidence show {theirs.key.digest[:12]}",
        severity=Severity.WARNING,
    )


def _no_signer(name: str, known: list[str]) -> Diagnostic:
    return Diagnostic(
        code="signer-unknown",
        message=f"release.json names no signer `{name}`",
        place=Place(file="release.json"),
        notes=(f"signers: {', '.join(known) or 'none'}",),
        help="add it with role and key under `policy`, `evidence`, `signers`",
    )


def _no_hardware(name: str, known: list[str]) -> Diagnostic:
    return Diagnostic(
        code="unknown-hardware",
        message=f"release.json names no hardware `{name}`",
        place=Place(file="release.json"),
        notes=(f"hardware: {', '.join(known) or 'none'}",),
        help="add it with a line on what it is under `hardware`",
    )

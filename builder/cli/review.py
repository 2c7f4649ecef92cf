"""`stackproof review`: which approvals stand, what is still to be read, and putting reviews on record."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from builder.cli.edits import DryRun, alone, now, person, read_input
from builder.cli.options import HERE, AsJson, Offline, Project
from builder.cli.session import Answer, Session, run
from verify.model.diagnostic import Diagnostic, ExitCode, InputFault, Place

if TYPE_CHECKING:
    from builder.pipeline import Stacked
    from builder.review.add import Written
    from builder.review.survey import Reviewed, Survey
    from verify.manifest.claims import Claims
    from verify.model.block import Block, Person
    from verify.model.ids import FoldId
    from verify.model.review import Condition
    from verify.review.standing import ConditionState

app = typer.Typer(help="Which approvals stand, what is to be read, and putting reviews on record", no_args_is_help=True)

By = Annotated[str, typer.Option("--by", metavar="NAME <EMAIL>", help="Who says so")]
Key = Annotated[Path | None, typer.Option("--key", metavar="FILE", help="Sign with this ssh key")]
Folds = Annotated[list[str] | None, typer.Option("--fold", metavar="ID", help="One fold of the block; all without")]


@app.command("status")
def status(project: Project = HERE, as_json: AsJson = False, offline: Offline = False) -> None:
    """Show how every fold stands with its reviews, what the claims say, and which conditions are open.

    Exit status 1 where a fold or a condition that the release asks for does not stand.

    Examples: stackproof review status; stackproof review status --json
    """
    run("review-status", _status, root=project, as_json=as_json, offline=offline)


@app.command("packet")
def packet(
    folds: Annotated[list[str] | None, typer.Argument(metavar="[BLOCK/FOLD]", help="These folds; all without")] = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="For a pull request")] = False,
    project: Project = HERE,
    as_json: AsJson = False,
    offline: Offline = False,
) -> None:
    """Show the smallest thing to read so that every fold stands again.

    Lines that nobody approved, and beside them what changed upstream that they depend on; what is the same is named.

    Examples: stackproof review packet; stackproof review packet --markdown > comment.md
    """
    run(
        "review-packet",
        lambda session: _packet(session, folds or [], markdown),
        root=project,
        as_json=as_json,
        offline=offline,
    )


@app.command("add")
def add(
    block: Annotated[str, typer.Argument(metavar="BLOCK", help="The block that was reviewed")],
    by: By,
    scope: Annotated[str, typer.Option("--scope", metavar="TEXT", help="What was looked at")],
    fold: Folds = None,
    delta: Annotated[bool, typer.Option("--delta", help="What changed since the last record was looked at")] = False,
    reject: Annotated[bool, typer.Option("--reject", help="It is not approved; say why in --scope")] = False,
    condition: Annotated[
        list[str] | None,
        typer.Option("--condition", metavar="ID=LEG,LEG", help="Green at the exact head on these legs"),
    ] = None,
    after_release: Annotated[
        list[str] | None, typer.Option("--after-release", metavar="ID=TEXT", help="Listed until it is met")
    ] = None,
    claims: Annotated[
        Path | None, typer.Option("--claims", metavar="FILE", help="A YAML file with a list `claims`, as in block.yaml")
    ] = None,
    non_claim: Annotated[
        list[str] | None, typer.Option("--non-claim", metavar="TEXT", help="What the approval does not say")
    ] = None,
    key: Key = None,
    dry_run: DryRun = False,
    project: Project = HERE,
    as_json: AsJson = False,
    offline: Offline = False,
) -> None:
    """Put a review on record: exactly the change that stands there now, and the terms.

    A record is a file named by its own digest; it is never edited, and a later one (`--delta`) follows it.

    Examples: stackproof review add moe --by 'Ada L <ada@analytical.org>' --scope 'all of it' --condition ci=x86,arm;
    stackproof review add moe --delta --by 'Ada L <ada@analytical.org>' --scope 'the second revision'
    """
    run(
        "review-add",
        lambda session: _add(
            session,
            block,
            tuple(fold or ()),
            by=by,
            scope=scope,
            delta=delta,
            reject=reject,
            conditions=(tuple(condition or ()), tuple(after_release or ())),
            claims=claims,
            non_claims=tuple(non_claim or ()),
            key=key,
            dry_run=dry_run,
        ),
        root=project,
        as_json=as_json,
        offline=offline,
    )


@app.command("carry")
def carry(
    word: Annotated[
        str, typer.Option("--word", metavar="TEXT", help="What you say to folds whose context has moved")
    ] = "",
    by: By = "",
    key: Key = None,
    dry_run: DryRun = False,
    project: Project = HERE,
    as_json: AsJson = False,
    offline: Offline = False,
) -> None:
    """Take approvals over to where the folds stand now, each with a certificate that was checked twice.

    What carries by itself is carried; `--word` with `--by` also carries what the policy asks a word for.

    Examples: stackproof review carry; stackproof review carry --by 'Ada L <ada@analytical.org>' --word 'read the delta'
    """
    run(
        "review-carry",
        lambda session: _carry(session, word=word, by=by, key=key, dry_run=dry_run),
        root=project,
        as_json=as_json,
        offline=offline,
    )


@app.command("receipt")
def receipt(
    report: Annotated[str, typer.Argument(metavar="FILE", help="A JUnit report or a statement; `-` for stdin")],
    condition: Annotated[str, typer.Option("--condition", metavar="[BLOCK/]ID", help="The condition that it meets")],
    by: By,
    leg: Annotated[str, typer.Option("--leg", metavar="NAME", help="The leg, where the report does not say")] = "",
    signature: Annotated[
        Path | None, typer.Option("--signature", metavar="FILE", help="Of a statement; FILE.sig beside it without")
    ] = None,
    key: Key = None,
    dry_run: DryRun = False,
    project: Project = HERE,
    as_json: AsJson = False,
    offline: Offline = False,
) -> None:
    """Put a receipt on record that a condition is met, if it is about exactly this head and one of the legs.

    A statement in JSON (`tree`, `commit`, `leg`, `tests`, `failures`, `skipped`) needs a signature by a key that
    release.json names.

    Examples: stackproof review receipt junit.xml --condition ci --leg linux --by 'CI <ci@engine.dev>'
    """
    run(
        "review-receipt",
        lambda session: _receipt(
            session, report, condition, by=by, leg=leg, signature=signature, key=key, dry_run=dry_run
        ),
        root=project,
        as_json=as_json,
        offline=offline,
    )


def _open(session: Session) -> "tuple[Stacked, Reviewed]":
    from builder import pipeline
    from builder.review.survey import Reviewed
    from verify.model.stack import Stack

    workshop = session.workshop()
    stacked = pipeline.stack(pipeline.read_unpinned(workshop), workshop, against_lock=False)
    result = stacked.derived.result
    if not isinstance(result, Stack):
        raise InputFault(*result.findings)
    return stacked, Reviewed(stacked.release, result, stacked.store, stacked.derived)


def _status(session: Session) -> Answer:
    from builder import pipeline
    from builder.cli.tables import table
    from builder.review.packet import packet_of
    from verify.review.packet import claim_json, condition_json, words

    stacked, reviewed = _open(session)
    surveyed = reviewed.survey()
    made = packet_of(reviewed, surveyed, pipeline.claims_at_tip(stacked) or ())
    rows = [
        (
            fold.state.value,
            f"{fold.block}/{fold.fold}",
            fold.grade.value if fold.grade else "",
            ", ".join(fold.approved_by),
            f"{fold.owed()} lines to read" if fold.owed() else "",
        )
        for fold in made.folds
    ]
    said = [line for line in words(made) if line.startswith(("claim", "condition"))]
    diagnostics, status = _judged(surveyed, stacked)
    return Answer(
        text="\n".join([table(("standing", "fold", "grade", "approved by", ""), rows), "", *said]).rstrip(),
        data={
            "folds": [
                {
                    "block": fold.block,
                    "fold": fold.fold,
                    "state": fold.state.value,
                    "grade": fold.grade.value if fold.grade else None,
                    "approved_by": list(fold.approved_by),
                    "why": fold.why,
                    "owed": fold.owed(),
                }
                for fold in made.folds
            ],
            "claims": [claim_json(each) for each in made.claims],
            "conditions": [condition_json(each) for each in made.conditions],
        },
        diagnostics=diagnostics,
        exit=status,
    )


def _judged(surveyed: "Survey", stacked: "Stacked") -> tuple[tuple[Diagnostic, ...], ExitCode]:
    """What the gate says of it."""
    from builder.cli.verdict import findings_of
    from verify.gates.case import Case, NotRederived
    from verify.gates.reviews import Params, check
    from verify.model.verdict import Failed, Undecided

    case = Case(
        release=stacked.release,
        base_tree=stacked.imported.tree,
        base_paths=(),
        stack=stacked.derived.result,
        rederived=NotRederived(reason=Diagnostic(code="reviews-not-read", message="not asked for")),
        reviews=surveyed.standings,
        review_faults=surveyed.faults,
    )
    outcome = check(Params(), case)
    match outcome:
        case Failed():
            status = ExitCode.DOES_NOT_HOLD
        case Undecided():
            status = ExitCode.CANNOT_JUDGE
        case _:
            status = ExitCode.HOLDS
    return findings_of(outcome), status


def _packet(session: Session, names: list[str], markdown: bool) -> Answer:
    from builder import pipeline
    from builder.edit.desk import open_desk
    from builder.review.packet import packet_of
    from verify.review.packet import packet_json, packet_markdown, packet_text

    stacked, reviewed = _open(session)
    desk = open_desk(root=session.root, release=stacked.release, derived=stacked.derived, store=stacked.store)
    only = frozenset((block.name, fold.id) for block, fold in map(desk.fold, names))
    made = packet_of(reviewed, reviewed.survey(), pipeline.claims_at_tip(stacked) or (), only)
    text = packet_markdown(made).rstrip("\n") if markdown else packet_text(made)
    return Answer(text=text, data=packet_json(made))


def _add(
    session: Session,
    block: str,
    folds: tuple[str, ...],
    *,
    by: str,
    scope: str,
    delta: bool,
    reject: bool,
    conditions: tuple[tuple[str, ...], tuple[str, ...]],
    claims: Path | None,
    non_claims: tuple[str, ...],
    key: Path | None,
    dry_run: bool,
) -> Answer:
    from builder.review.add import Terms, plan_delta, plan_review
    from verify.model.review import Decision

    terms = Terms(
        reviewer=_who(by),
        date=f"@{now()} +0000",
        decision=Decision.REJECTED if reject else Decision.APPROVED,
        scope=_said(scope, "--scope"),
        claims=_claims(claims),
        conditions=_conditions(*conditions),
        non_claims=non_claims,
    )
    with alone(session, dry_run=dry_run):
        stacked, reviewed = _open(session)
        chosen = _block(reviewed, block)
        asked = tuple(_fold_of(chosen, each) for each in folds)
        plan = plan_delta if delta else plan_review
        return _write(session, stacked, plan(reviewed, chosen, asked, terms, key=key), "review add", dry_run=dry_run)


def _carry(session: Session, *, word: str, by: str, key: Path | None, dry_run: bool) -> Answer:
    from builder.review.carry_over import Word, plan_carry

    said = Word(by=_who(by), text=word) if word else None
    with alone(session, dry_run=dry_run):
        stacked, reviewed = _open(session)
        written, doubts = plan_carry(reviewed, date=f"@{now()} +0000", word=said, key=key)
        return _write(session, stacked, written, "review carry", dry_run=dry_run, doubts=doubts)


def _receipt(
    session: Session,
    report: str,
    condition: str,
    *,
    by: str,
    leg: str,
    signature: Path | None,
    key: Path | None,
    dry_run: bool,
) -> Answer:
    from builder.review.add import written_receipt
    from builder.review.receipt import Voucher, make_receipt, read_report

    data = read_input(report)
    beside = Path(f"{report}.sig")
    named = signature or (beside if report != "-" and beside.is_file() else None)
    made_by = read_input(str(named)) if named is not None else None
    with alone(session, dry_run=dry_run):
        stacked, reviewed = _open(session)
        state = _condition_state(reviewed, condition)
        made = make_receipt(
            read_report(data, file=report),
            data,
            state,
            reviewed.stack,
            leg=leg,
            voucher=Voucher(
                by=_who(by),
                date=f"@{now()} +0000",
                signature=made_by,
                signers=stacked.release.review_policy.signers,
            ),
            file=report,
        )
        return _write(session, stacked, written_receipt(made, key=key), "review receipt", dry_run=dry_run)


def _write(
    session: Session,
    stacked: "Stacked",
    written: "Written",
    command: str,
    *,
    dry_run: bool,
    doubts: tuple[Diagnostic, ...] = (),
) -> Answer:
    from builder.edit.operations import record

    names = [name for name, _ in written.contents]
    if not dry_run and names:
        stacked.keep()  # a later grade looks into these very trees
        record(
            session.root, command=command, summary="; ".join(written.told), contents=dict(written.contents), at=now()
        )
    verb = "would write" if dry_run else "wrote"
    lines = [*written.told, f"{verb} {', '.join(names)}" if names else "nothing to write"]
    return Answer(
        text="\n".join(lines),
        data={"written": bool(names) and not dry_run, "told": list(written.told), "files": names},
        diagnostics=doubts,
        exit=ExitCode.DOES_NOT_HOLD if doubts else ExitCode.HOLDS,
    )


def _who(text: str) -> "Person":
    found = person(text)
    if found is None:
        raise InputFault(
            Diagnostic(
                code="review-by-missing",
                message="nobody is named who says so",
                help="--by 'Ada Lovelace <ada@analytical.org>'",
            )
        )
    return found


def _said(text: str, option: str) -> str:
    if text.strip():
        return text
    raise InputFault(
        Diagnostic(code="review-says-nothing", message=f"{option} says nothing", help=f"{option} 'all of it'")
    )


def _claims(file: Path | None) -> "Claims":
    from verify.manifest.claims import NO_CLAIMS, read_claims
    from verify.manifest.document import open_document
    from verify.manifest.mistakes import Mistakes

    if file is None:
        return NO_CLAIMS
    mistakes = Mistakes()
    fields = open_document(str(file), read_input(str(file)), mistakes).fields(of="the file of claims")
    claims = fields.get("claims", read_claims)
    fields.close()
    mistakes.raise_if_any()
    return claims


def _conditions(on_legs: tuple[str, ...], after: tuple[str, ...]) -> "tuple[Condition, ...]":
    from verify.model.ids import is_name
    from verify.model.review import Condition, ConditionKind

    made = []
    for text, kind in [
        *((each, ConditionKind.CI) for each in on_legs),
        *((each, ConditionKind.AFTER_RELEASE) for each in after),
    ]:
        name, equals, rest = text.partition("=")
        if not equals or not is_name(name) or not rest.strip(" ,"):
            raise InputFault(
                Diagnostic(
                    code="review-condition",
                    message=f"`{text}` is no condition",
                    notes=("expected ID=LEG,LEG for --condition, ID=TEXT for --after-release",),
                    help="--condition ci=linux-x86,macos-arm",
                )
            )
        legs = tuple(leg.strip() for leg in rest.split(",") if leg.strip()) if kind is ConditionKind.CI else ()
        says = f"green at this exact head on {', '.join(legs)}" if legs else rest.strip()
        made.append(Condition(id=name, kind=kind, says=says, legs=legs))
    return tuple(made)


def _block(reviewed: "Reviewed", name: str) -> "Block":
    from verify.manifest.mistakes import did_you_mean, listed

    found = next((block for block in reviewed.release.blocks if block.name == name), None)
    if found is None:
        names = [block.name for block in reviewed.release.blocks]
        raise InputFault(
            Diagnostic(
                code="block-unknown",
                message=f"there is no block `{name}`",
                notes=listed("blocks", names),
                help=did_you_mean(name, names) or "stackproof status",
            )
        )
    return found


def _fold_of(block: "Block", name: str) -> "FoldId":
    from verify.manifest.mistakes import did_you_mean, listed

    found = next((fold.id for fold in block.folds if fold.id == name.removeprefix(f"{block.name}/")), None)
    if found is None:
        names = [fold.id for fold in block.folds]
        raise InputFault(
            Diagnostic(
                code="fold-unknown",
                message=f"block `{block.name}` has no fold `{name}`",
                notes=listed("folds", names),
                help=did_you_mean(name, names) or "stackproof status",
            )
        )
    return found


def _condition_state(reviewed: "Reviewed", name: str) -> "ConditionState":
    block, slash, wanted = name.rpartition("/")
    every = reviewed.survey().standings.conditions
    found = [each for each in every if each.condition.id == wanted and (not slash or each.block == block)]
    if len(found) == 1:
        return found[0]
    known = ", ".join(f"{each.block}/{each.condition.id}" for each in every) or "none"
    raise InputFault(
        Diagnostic(
            code="condition-unknown",
            message=f"{'several approvals have' if found else 'no approval that stands has'} a condition `{name}`",
            place=Place(file="blocks"),
            notes=(f"conditions of approvals that stand: {known}",),
            help="stackproof review status",
        )
    )

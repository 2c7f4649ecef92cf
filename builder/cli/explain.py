"""`stackproof explain`: what a diagnostic code means and what to do."""

from typing import Annotated

import typer

from builder.cli.options import HERE, AsJson
from builder.cli.session import Answer, Session, run


def explain(
    code: Annotated[str, typer.Argument(metavar="CODE", help="The code in brackets, as in error[fold-strays]")],
    as_json: AsJson = False,
) -> None:
    """Explain a diagnostic code.

    Example: stackproof explain preimage-differs
    """

    def body(session: Session) -> Answer:
        del session
        from verify.explain import catalogue

        text = catalogue.explain(code)
        return Answer(text=text, data={"code": code, "explanation": text})

    run("explain", body, root=HERE, as_json=as_json)

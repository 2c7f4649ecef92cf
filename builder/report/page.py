"""The view as one HTML page: no script, no outside resource, everything escaped; the only door to Jinja2.

Whatever a release says is text. Characters that show as nothing or turn the direction of text are spelled out, as on
the terminal, and a policy in the page forbids scripts and anything from elsewhere even so.
"""

from functools import cache
from importlib import resources

from jinja2 import DictLoader, Environment, StrictUndefined
from markupsafe import Markup, escape

from builder.report.view import View
from verify.report.terminal import visible

_FOLDER = "templates"


def render(view: View) -> bytes:
    """The page's bytes; equal views are equal bytes."""
    text = _environment().get_template("page.html").render(view=view)
    return (text.rstrip("\n") + "\n").encode("utf-8")


@cache
def _environment() -> Environment:
    files = {each.name: each.read_text("utf-8") for each in resources.files(__package__).joinpath(_FOLDER).iterdir()}
    environment = Environment(
        loader=DictLoader({name: text for name, text in files.items() if name.endswith(".html")}),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_finalize,
    )
    environment.filters["ticked"] = _ticked
    environment.globals["style"] = Markup(files["style.css"])  # noqa: S704 - our own file, not a release's text
    return environment


def _ticked(text: str) -> Markup:
    """Text in which what stands between backticks is set as code; an odd one is left as it is."""
    parts = visible(text).split("`")
    if len(parts) % 2 == 0:
        return escape(visible(text))
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if number % 2 else escape(part) for number, part in enumerate(parts)
    )


def _finalize(value: object) -> object:
    """Text of a release with nothing in it that cannot be seen; what was escaped before stays as it is."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value

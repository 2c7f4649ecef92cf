"""base.json: how to get the base that the patches go on, in one place for people and programs.

All of it follows from release.json and stack.json, so that it is printed again and compared when a bundle is checked.
"""

from verify.bundle.document import print_document
from verify.bundle.documents import ReleaseDocument
from verify.bundle.line import Line
from verify.bundle.stack import Point

SCHEMA = "stackproof/bundle-base/1"


def render_base(release: ReleaseDocument, base: Point, line: Line) -> bytes:
    """The document: the source as release.json declares it, and what it must give.

    For a release on another one (`line`) it tells the upstream of the lowest one, too, since that is what is asked for.
    """
    told: dict[str, object] = {
        "schema": SCHEMA,
        "source": release.source,
        "upstream_commit": release.upstream_commit,
        "tree": base.tree,
        "commit": base.commit,
    }
    if line.releases:
        lowest = line.releases[-1]
        told["upstream"] = {
            "source": lowest.release.source,
            "upstream_commit": lowest.release.upstream_commit,
            "tree": lowest.stack.base.tree,
            "commit": lowest.stack.base.commit,
        }
    return print_document(told)


def declared_commit(release: ReleaseDocument) -> str | None:
    """The commit of the base as far as release.json says it: upstream's, or that of its git source."""
    if release.upstream_commit is not None:
        return release.upstream_commit
    commit = release.source.get("commit")
    return commit if release.source.get("kind") == "git" and isinstance(commit, str) else None

"""base.json: how to get the base that the patches go on, in one place for people and programs.

All of it follows from release.json and stack.json, so that it is printed again and compared when a bundle is checked.
"""

from verify.bundle.document import print_document
from verify.bundle.documents import ReleaseDocument
from verify.bundle.stack import Point

SCHEMA = "stackproof/bundle-base/1"


def render_base(release: ReleaseDocument, base: Point) -> bytes:
    """The document: the source as release.json declares it, and what it must give."""
    return print_document(
        {
            "schema": SCHEMA,
            "source": release.source,
            "upstream_commit": release.upstream_commit,
            "tree": base.tree,
            "commit": base.commit,
        }
    )


def declared_commit(release: ReleaseDocument) -> str | None:
    """The commit of the base as far as release.json says it: upstream's, or that of its git source."""
    if release.upstream_commit is not None:
        return release.upstream_commit
    commit = release.source.get("commit")
    return commit if release.source.get("kind") == "git" and isinstance(commit, str) else None

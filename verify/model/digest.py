"""The digest that names a release by content: over the bytes of every declared file, wherever the project lies."""

import hashlib
from collections.abc import Iterable

from verify.model.ids import Sha256


def release_digest(files: Iterable[tuple[str, bytes]]) -> Sha256:
    """SHA-256 over (name, bytes) in the order given; names are relative to the project, `/`-separated.

    Names and lengths are part of it, so that no byte can move from one file to its neighbour unseen.
    """
    digest = hashlib.sha256(b"stackproof/release-digest/1\n")
    for name, data in files:
        spelled = name.encode("utf-8")
        digest.update(b"%d %d\n" % (len(spelled), len(data)))
        digest.update(spelled)
        digest.update(data)
    return Sha256(digest.hexdigest())

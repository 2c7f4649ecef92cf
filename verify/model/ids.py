"""Text with a meaning has a type: ids, names and paths, and the one place that parses each.

Object ids are full lower-case hexadecimal SHA-1 (40 digits), digests are SHA-256 (64 digits); a short id is
never accepted, since two spellings of one id drift apart. Paths are git paths: bytes, `/`-separated, relative.
"""

import re
from typing import NewType

TreeId = NewType("TreeId", str)
BlobId = NewType("BlobId", str)
CommitId = NewType("CommitId", str)
Sha256 = NewType("Sha256", str)
BlockName = NewType("BlockName", str)
FoldId = NewType("FoldId", str)
GateName = NewType("GateName", str)
ModelName = NewType("ModelName", str)
ConfigName = NewType("ConfigName", str)
ReleaseName = NewType("ReleaseName", str)
RepoPath = NewType("RepoPath", bytes)

EMPTY_TREE = TreeId("4b825dc642cb6eb9a060e54bf8d69288fbee4904")

_OBJECT_ID = re.compile(r"[0-9a-f]{40}")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_NAME = re.compile(r"[a-z0-9](?:[a-z0-9.+-]*[a-z0-9+])?")


def is_object_id(text: str) -> bool:
    """Whether `text` is a full SHA-1 object id."""
    return _OBJECT_ID.fullmatch(text) is not None


def is_sha256(text: str) -> bool:
    """Whether `text` is a full SHA-256 digest."""
    return _SHA256.fullmatch(text) is not None


def is_name(text: str) -> bool:
    """Whether `text` may name a block, fold, gate, model or configuration (kebab-case, 1 to 80 characters)."""
    return len(text) <= 80 and _NAME.fullmatch(text) is not None


def show_path(path: RepoPath) -> str:
    """Path as text for people: UTF-8, each byte that is not shown as `\\xNN`."""
    return path.decode("utf-8", errors="backslashreplace")

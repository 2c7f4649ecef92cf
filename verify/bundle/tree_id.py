"""The tree id that git gives a set of files, computed from the definition: no git, no store."""

import hashlib
from collections.abc import Iterable

from verify.bundle.tarball import Entry
from verify.model.codec import CodecError
from verify.model.ids import TreeId
from verify.model.patch import Mode

_Folder = dict[bytes, "tuple[Mode, str] | _Folder"]


def tree_id(entries: Iterable[Entry]) -> TreeId:
    """The tree with these files; a path that is a file and a folder at once raises `CodecError`."""
    root: _Folder = {}
    for entry in entries:
        *folders, name = entry.path.split(b"/")
        folder = root
        for part in folders:
            inner = folder.setdefault(part, {})
            if not isinstance(inner, dict):
                raise CodecError(f"{entry.path!r} lies below a file")
            folder = inner
        if name in folder:
            raise CodecError(f"{entry.path!r} is there twice")
        folder[name] = (entry.mode, _object("blob", entry.data))
    return TreeId(_tree(root))


def _tree(folder: _Folder) -> str:
    payload = b""
    # git sorts a folder as if its name ended with a slash
    for name, held in sorted(folder.items(), key=lambda item: item[0] + (b"/" if isinstance(item[1], dict) else b"")):
        mode, id_ = (b"40000", _tree(held)) if isinstance(held, dict) else (held[0].value.encode(), held[1])
        payload += mode + b" " + name + b"\0" + bytes.fromhex(id_)
    return _object("tree", payload)


def _object(kind: str, data: bytes) -> str:
    digest = hashlib.sha1(f"{kind} {len(data)}\0".encode())
    digest.update(data)
    return digest.hexdigest()

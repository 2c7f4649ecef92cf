"""A file's bytes to the value that its reader starts from: JSON and YAML look the same from here on."""

from verify.manifest.json_syntax import read_json
from verify.manifest.mistakes import Mistakes
from verify.manifest.node import Hole, Source
from verify.manifest.syntax import read_yaml
from verify.manifest.text import decode
from verify.manifest.value import Value


def open_document(file: str, data: bytes, mistakes: Mistakes) -> Value:
    """The whole document; blind where its syntax is wrong."""
    source = decode(file, data, mistakes)
    if source is None:
        return hole(file, mistakes)
    node = read_json(source, mistakes) if file.endswith(".json") else read_yaml(source, mistakes)
    return Value(node, what=file, source=source, mistakes=mistakes)


def hole(file: str, mistakes: Mistakes) -> Value:
    """What stands for a file that could not be read."""
    source = Source(file, "")
    return Value(Hole(spot=source.spot(0)), what=file, source=source, mistakes=mistakes)

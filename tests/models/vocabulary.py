"""A vocabulary file of our own in the form that the generator reads, for tests without an engine."""

from pathlib import Path

from builder.models import VOCABULARY
from builder.tree import ObjectSource
from tests.core.memory import tree_in_memory
from verify.model.ids import TreeId
from verify.model.patch import Mode


def vocabulary(folder: Path, size: int = 2100) -> bytes:
    """An SPM vocabulary of `size` tokens: the special ones, the bytes, then made-up words."""
    import gguf

    path = folder / "vocabulary.gguf"
    special = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256))]
    tokens = [*special, *(f"\u2581word{number}" for number in range(size - len(special)))]
    kinds = [2, 3, 3, *([6] * 256), *([1] * (size - len(special)))]
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_tokenizer_model("llama")
    writer.add_token_list(tokens)
    writer.add_token_scores([-float(number) for number in range(size)])
    writer.add_token_types(kinds)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path.read_bytes()


def base_with(vocabulary_file: bytes | None) -> tuple[TreeId, ObjectSource]:
    """A base tree with that vocabulary, or without one."""
    name, data = (VOCABULARY, vocabulary_file) if vocabulary_file is not None else (b"README", b"empty\n")
    tree, source = tree_in_memory({type(VOCABULARY)(name): (Mode.FILE, data)})
    return tree.id, source

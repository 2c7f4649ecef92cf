"""Generated models are the same bytes everywhere."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from builder.models import provide_model
from builder.tiny_model import KINDS, write_tiny_model
from tests.models.vocabulary import base_with, vocabulary
from verify.model.ids import ModelName, Sha256
from verify.model.progress import Silent
from verify.model.release import GeneratedModel

# of the vocabulary in vocabulary.py; gguf's container is part of it, so a new version of gguf may change them all
GOLDEN = {
    "llama": "0971e1dfafd7b243a235fe554f8c4926956597c1f1e32428f55b75267620d580",
    "lfm2": "3b152c4f7b3ee346fb67bac8ef3f0d86b81b8a60db8271c76a84a87a35258cb5",
    "llama-quants": "ed40e32a74bc52f9dcabf83701e0ab07329c5f418fec65d717b792febf1c0629",
    "llama-floats": "57dee4a96990c098103d5af1052234a91e6ff88bb22f92126cc62804f9ebe525",
    "qwen3moe": "e42a23bdf8825495013b11e113de94accba0db2cf5eff185b39d32d901cf1ee7",
    "mamba": "ff2266783662270bded93ad4fc12391dc13743acd552bd16a8692f489259a424",
    "gemma3": "622a08c540cd5e5c2a466c2476929e92f40ec597276ee63435d98941cc7ce771",
}


@pytest.fixture(scope="module")
def vocabulary_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("vocabulary")
    vocabulary(folder)
    return folder / "vocabulary.gguf"


@pytest.mark.parametrize("kind", sorted(GOLDEN))
def test_a_small_model_has_its_recorded_digest(kind: str, vocabulary_file: Path, tmp_path: Path) -> None:
    write_tiny_model(kind, vocabulary_file, tmp_path / "model.gguf")
    assert hashlib.sha256((tmp_path / "model.gguf").read_bytes()).hexdigest() == GOLDEN[kind]


def test_neither_threads_nor_hash_seed_nor_language_change_a_byte(vocabulary_file: Path, tmp_path: Path) -> None:
    script = "import sys; from pathlib import Path; from builder.tiny_model import write_tiny_model\n"
    script += "write_tiny_model('mamba', Path(sys.argv[1]), Path(sys.argv[2]))"
    for number, extra in enumerate(
        ({"OMP_NUM_THREADS": "1"}, {"PYTHONHASHSEED": "7", "LC_ALL": "C", "TZ": "Asia/Tokyo"})
    ):
        subprocess.run(
            [sys.executable, "-c", script, vocabulary_file, tmp_path / f"{number}.gguf"],
            env={**os.environ, **extra},
            cwd=Path(__file__).parents[2],
            check=True,
        )
    assert (tmp_path / "0.gguf").read_bytes() == (tmp_path / "1.gguf").read_bytes()


def test_a_pinned_generated_model_is_provided(vocabulary_file: Path, tmp_path: Path) -> None:
    tree, source = base_with(vocabulary_file.read_bytes())
    pin = GeneratedModel(name=ModelName("tiny"), generator="llama", sha256=Sha256(GOLDEN["llama"]), licence="MIT")
    file = provide_model(pin=pin, base_tree=tree, source=source, cache=tmp_path, offline=True, progress=Silent())
    assert hashlib.sha256(file.path.read_bytes()).hexdigest() == GOLDEN["llama"]


def test_every_kind_has_another_content(vocabulary_file: Path, tmp_path: Path) -> None:
    light = [kind for kind in KINDS if not kind.endswith("-heavy")]
    contents = set()
    for kind in light:
        write_tiny_model(kind, vocabulary_file, tmp_path / kind)
        contents.add((tmp_path / kind).read_bytes())
    assert len(contents) == len(light)


def test_a_vocabulary_that_is_too_small_is_refused(tmp_path: Path) -> None:
    vocabulary(tmp_path, size=300)
    with pytest.raises(ValueError, match="fewer than 2048"):
        write_tiny_model("llama", tmp_path / "vocabulary.gguf", tmp_path / "model.gguf")
    assert not (tmp_path / "model.gguf").exists()

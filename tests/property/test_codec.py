"""Laws of the codec: what is written is read again, and nothing else is read."""

import json
from dataclasses import dataclass
from enum import StrEnum

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.gates.good import good_build, good_case
from verify.model.codec import CodecError, canonical_json, from_json, shape_of, to_json
from verify.model.ids import Sha256, TreeId
from verify.model.observation import BuildObservation, decode_observation, encode_observation
from verify.model.session import read_settings, settings_of
from verify.probe.registry import PROBES

few = settings(max_examples=80, derandomize=True, deadline=None)


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True, slots=True, kw_only=True)
class Inner:
    number: int
    ratio: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Outer:
    text: str
    flag: bool
    colour: Colour
    digest: Sha256
    parts: tuple[Inner, ...]
    pair: tuple[str, int]
    maybe: Inner | None


TEXT = st.text(st.characters(exclude_categories=["Cs"]))
INNER = st.builds(Inner, number=st.integers(), ratio=st.floats(allow_nan=False, allow_infinity=False))
OUTER = st.builds(
    Outer,
    text=TEXT,
    flag=st.booleans(),
    colour=st.sampled_from(Colour),
    digest=TEXT.map(Sha256),
    parts=st.lists(INNER, max_size=3).map(tuple),
    pair=st.tuples(TEXT, st.integers()),
    maybe=st.none() | INNER,
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
)


@few
@given(OUTER)
def test_what_is_written_is_read_again(value: Outer) -> None:
    assert from_json(Outer, json.loads(canonical_json(to_json(value)))) == value


@few
@given(JSON)
def test_nothing_but_a_value_of_the_type_is_read(value: object) -> None:
    with pytest.raises(CodecError):
        from_json(Outer, value)


@few
@given(OUTER, st.sampled_from(["text", "flag", "colour", "parts", "pair", "maybe"]), JSON)
def test_a_field_of_another_type_is_refused_or_was_the_same(value: Outer, name: str, other: object) -> None:
    data = to_json(value)
    assert isinstance(data, dict)
    data[name] = other
    try:
        read = from_json(Outer, data)
    except CodecError:
        return
    assert to_json(read) == data


@few
@given(OUTER)
def test_a_field_too_few_or_too_many_is_refused(value: Outer) -> None:
    data = to_json(value)
    assert isinstance(data, dict)
    with pytest.raises(CodecError, match="unknown \\['more'\\]"):
        from_json(Outer, {**data, "more": 1})
    data.pop("flag")
    with pytest.raises(CodecError, match="missing \\['flag'\\]"):
        from_json(Outer, data)


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_what_is_no_number_is_never_written(number: float) -> None:
    with pytest.raises(CodecError):
        to_json(Inner(number=1, ratio=number))


def test_observations_are_read_as_written() -> None:
    build = good_build(TreeId("a" * 40))
    assert decode_observation(BuildObservation, encode_observation(build)) == build
    for need, recorded in good_case().probes.items():
        kind = PROBES[need.probe].observation
        assert decode_observation(kind, encode_observation(recorded.observation)) == recorded.observation


def test_settings_are_read_as_written() -> None:
    for need in good_case().probes:
        assert settings_of(read_settings(PROBES[need.probe].settings, need.settings)) == need.settings


def test_another_field_or_type_is_another_shape() -> None:
    @dataclass(frozen=True, slots=True, kw_only=True)
    class Wider:
        number: int
        ratio: float
        more: str

    @dataclass(frozen=True, slots=True, kw_only=True)
    class Other:
        number: int
        ratio: int

    shapes = [canonical_json(shape_of(kind)) for kind in (Inner, Wider, Other, Outer)]
    assert len(set(shapes)) == 4

"""Laws of the search for the step that turned a light red."""

from hypothesis import given, settings
from hypothesis import strategies as st

from builder.first_red import Light, NeverGreen, Turn, first_red

law = settings(max_examples=200, deadline=None, derandomize=True, database=None)
LIGHTS = st.lists(st.sampled_from([*Light, Light.GREEN, Light.RED]), min_size=1, max_size=40)


def search(lights: list[Light], known: frozenset[int] = frozenset()) -> tuple[Turn | NeverGreen, list[int]]:
    """The answer for these lights with a red one behind them, and what was asked."""
    asked: list[int] = []

    def look(step: int) -> Light:
        asked.append(step)
        return lights[step]

    found = first_red(len(lights), look, {step: lights[step] for step in known if step < len(lights)})
    return found, asked


@law
@given(LIGHTS, st.frozensets(st.integers(min_value=0, max_value=40)))
def test_below_the_answer_is_green_and_between_them_all_is_dark(lights: list[Light], known: frozenset[int]) -> None:
    found, _ = search(lights, known)
    whole = [*lights, Light.RED]
    match found:
        case Turn(green=green, red=red):
            assert (whole[green], whole[red]) == (Light.GREEN, Light.RED)
            assert set(whole[green + 1 : red]) <= {Light.DARK}
        case NeverGreen(red=red):
            assert whole[red] is Light.RED
            assert set(whole[:red]) <= {Light.DARK}


@law
@given(LIGHTS, st.frozensets(st.integers(min_value=0, max_value=40)))
def test_nothing_is_asked_twice_or_asked_that_is_known(lights: list[Light], known: frozenset[int]) -> None:
    _, asked = search(lights, known)
    assert len(set(asked)) == len(asked)
    assert not known & set(asked)


@law
@given(st.integers(min_value=0, max_value=500), st.integers(min_value=0, max_value=500))
def test_a_plain_turn_is_found_with_as_many_looks_as_a_binary_search_needs(greens: int, reds: int) -> None:
    found, asked = search([Light.GREEN] * (greens + 1) + [Light.RED] * reds)
    assert found == Turn(green=greens, red=greens + 1, earlier=())
    assert len(asked) <= 1 + (greens + reds + 1).bit_length()


@law
@given(LIGHTS)
def test_with_everything_known_red_below_the_last_green_is_told(lights: list[Light]) -> None:
    found, asked = search(lights, frozenset(range(len(lights))))
    assert asked == []
    if isinstance(found, Turn):
        assert found.earlier == tuple(step for step in range(found.green) if lights[step] is Light.RED)

"""The page on what releases come to is the stored campaign, rendered."""

import json

from tests.campaign.release.render import PAGE, RESULTS, render


def test_the_page_is_what_is_stored() -> None:
    newest = sorted(RESULTS.glob("release-*.json"))[-1]
    assert PAGE.read_text() == render(json.loads(newest.read_text()), newest.name)


def test_nothing_was_half_visible_missed_or_different_in_the_stored_campaign() -> None:
    document = json.loads(sorted(RESULTS.glob("release-*.json"))[-1].read_text())
    for way, told in document["stopped"].items():
        assert told.get("half visible", 0) == 0, way
        assert told.get("repeating finished", told["tried"]) == told["tried"], way
        assert told.get("theirs kept", told["tried"]) == told["tried"], way
    for way, told in document["tampered"].items():
        if isinstance(told, dict):
            assert told["caught"] == told["tried"] > 0, way
    assert document["twice"]["differing"] == []
    assert document["out"]["tag's tree"] == document["out"]["release's tree"]

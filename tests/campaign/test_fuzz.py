"""A short run of the fuzzing on every test run, and a long one before a release."""

from pathlib import Path

import pytest

from tests.campaign.fuzz import Campaign
from tests.campaign.guided import Guided


def fuzz(folder: Path, edits: int, seed: int) -> Campaign:
    campaign = Campaign(folder)
    done = 0
    while done < edits:
        done += 3 * campaign.round(seed)
        seed += 1
    return campaign


def test_two_thousand_edits_are_what_git_makes_of_them(tmp_path: Path) -> None:
    campaign = fuzz(tmp_path, 2000, seed=1)
    assert campaign.failures == []
    assert campaign.counts["plain: laid"] > 10
    assert campaign.counts["changed tree: refused"] > 10


@pytest.mark.campaign
def test_a_hundred_thousand_edits_are_what_git_makes_of_them(tmp_path: Path) -> None:
    assert fuzz(tmp_path, 100_000, seed=1_000_000).failures == []


def test_the_readers_answer_to_whatever_comes(tmp_path: Path) -> None:
    guided = Guided(7, tmp_path)
    for _ in range(300):
        guided.step()
    assert guided.failures == []
    assert len(guided.inputs) > 30

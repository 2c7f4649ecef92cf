"""A registry gets a release whole: whatever stops the client, the tag is not there or stands for all of it."""

import json

import pytest

from builder.publish.artifact import Content, content_of, digest_of, layout_of
from builder.publish.outcome import How
from builder.publish.parcel import Parcel
from builder.publish.pull import pull
from builder.publish.registry import TOKEN, publish_to_registry
from builder.publish.target import RegistryTarget
from tests.publish.registry_in_memory import Killed, RegistryInMemory
from verify.bundle.document import print_document
from verify.bundle.image import CONFIG_TYPE, INDEX_TYPE, LAYER_TYPE, MANIFEST_TYPE, descriptor
from verify.model.diagnostic import EnvironmentFault, InputFault
from verify.model.ids import ReleaseName

TARGET = RegistryTarget(host="127.0.0.1:5000", repository="team/engine")
TAG = ReleaseName("engine-1-r1")


def small(text: bytes = b"layer") -> Content:
    """A release of two blobs, for tests that go through every request."""
    config, layer = b"{}", text
    manifest = print_document(
        {
            "schemaVersion": 2,
            "mediaType": MANIFEST_TYPE,
            "config": descriptor(CONFIG_TYPE, config),
            "layers": [descriptor(LAYER_TYPE, layer)],
        }
    )
    index = print_document(
        {"schemaVersion": 2, "mediaType": INDEX_TYPE, "manifests": [descriptor(MANIFEST_TYPE, manifest)]}
    )
    return Content(
        blobs={digest_of(each): each for each in (config, layer)},
        manifests={digest_of(manifest): manifest},
        index=index,
    )


def whole(registry: RegistryInMemory, content: Content) -> bool:
    """Whether everything is there and the tag stands for it."""
    return (
        registry.tags == {TAG: content.index}
        and content.blobs.items() <= registry.blobs.items()
        and content.manifests.items() <= registry.manifests.items()
    )


def publish(registry: RegistryInMemory, content: Content) -> How:
    return publish_to_registry(content, target=TARGET, tag=TAG, asking=registry.ask).how


def test_a_release_comes_back_as_it_was(parcel: Parcel) -> None:
    registry = RegistryInMemory()
    assert publish(registry, content_of(parcel)) is How.NEW
    assert whole(registry, content_of(parcel))
    assert pull(TARGET, TAG, asking=registry.ask) == parcel.members


def test_publishing_again_sends_nothing(parcel: Parcel) -> None:
    registry = RegistryInMemory()
    publish(registry, content_of(parcel))
    registry.asked.clear()
    assert publish(registry, content_of(parcel)) is How.UNCHANGED
    assert not [each for each in registry.asked if each.startswith("POST")]


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_kill_at_any_request_leaves_nothing_visible_or_all_and_repeating_finishes(when: str) -> None:
    content = small()
    at = 0
    while True:
        at += 1
        registry = RegistryInMemory(kill_before=at if when == "before" else 0, kill_after=at if when == "after" else 0)
        try:
            publish(registry, content)
        except Killed:
            assert registry.tags == {} or whole(registry, content), at
            registry.again()
            publish(registry, content)
            assert whole(registry, content), at
        else:
            break
    assert at > 10


def test_a_registry_without_room_shows_nothing_and_is_finished_later() -> None:
    content = small()
    for at in range(1, 12):
        registry = RegistryInMemory()
        registry.full_from = at
        with pytest.raises(EnvironmentFault) as told:
            publish(registry, content)
        assert told.value.diagnostics[0].code == "registry-refused"
        assert registry.tags == {}
        registry.again()
        publish(registry, content)
        assert whole(registry, content)


def test_a_registry_that_is_down_is_told() -> None:
    with pytest.raises(EnvironmentFault) as told:
        publish_to_registry(small(), target=RegistryTarget(host="127.0.0.1:1", repository="team/engine"), tag=TAG)
    assert told.value.diagnostics[0].code == "registry-unreachable"


def test_a_tag_with_other_content_is_kept(parcel: Parcel) -> None:
    registry = RegistryInMemory()
    publish(registry, small())
    with pytest.raises(InputFault) as told:
        publish(registry, content_of(parcel))
    assert told.value.diagnostics[0].code == "publish-name-taken"
    assert registry.tags == {TAG: small().index}
    assert not registry.blobs.keys() & content_of(parcel).blobs.keys() - small().blobs.keys()


def test_a_tag_that_appears_while_we_upload_is_kept() -> None:
    registry = RegistryInMemory()
    asks = 0

    def ask(*words: object, **more: object):  # type: ignore[no-untyped-def]
        nonlocal asks
        asks += 1
        if asks == 5:
            registry.tags[TAG] = small(b"theirs").index
        return registry.ask(*words, **more)  # type: ignore[arg-type]

    with pytest.raises(InputFault):
        publish_to_registry(small(), target=TARGET, tag=TAG, asking=ask)
    assert registry.tags == {TAG: small(b"theirs").index}


def test_a_token_is_fetched_where_the_registry_asks_for_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TOKEN, "secret")
    registry = RegistryInMemory(token="given")
    target = RegistryTarget(host="127.0.0.1:5000", repository="team/engine")
    assert publish_to_registry(small(), target=target, tag=TAG, asking=registry.ask).how is How.NEW


def test_blobs_are_fetched_from_the_store_behind_a_registry_without_our_token(
    parcel: Parcel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(TOKEN, "secret")
    registry = RegistryInMemory(token="given")
    publish(registry, content_of(parcel))
    registry.store = "https://store.example.org"
    assert pull(TARGET, TAG, asking=registry.ask) == parcel.members


@pytest.mark.parametrize("store", ["http://store.example.org", "file:///etc"])
def test_a_store_without_tls_is_not_asked(store: str, parcel: Parcel) -> None:
    registry = RegistryInMemory()
    publish(registry, content_of(parcel))
    registry.store = store
    with pytest.raises(EnvironmentFault) as told:
        pull(TARGET, TAG, asking=registry.ask)
    assert told.value.diagnostics[0].code == "registry-refused"
    assert not [each for each in registry.asked if "store" in each]


def test_bytes_that_the_registry_changed_are_not_taken(parcel: Parcel) -> None:
    registry = RegistryInMemory()
    publish(registry, content_of(parcel))
    digest = digest_of(parcel.members["combined.diff"])
    registry.blobs[digest] = b"something else"
    with pytest.raises(EnvironmentFault) as told:
        pull(TARGET, TAG, asking=registry.ask)
    assert told.value.diagnostics[0].code == "pull-broken"


@pytest.mark.parametrize("name", ["../out", "/etc/passwd", "a//b", ".git/config", "a/../b", ""])
def test_a_member_that_leaves_the_folder_is_not_taken(name: str) -> None:
    registry = RegistryInMemory()
    publish(registry, small())
    manifest = print_document(
        {"layers": [{"digest": digest_of(b"x"), "annotations": {"org.opencontainers.image.title": name}}]}
    )
    registry.manifests[digest_of(manifest)] = manifest
    registry.tags[TAG] = print_document(
        {
            "manifests": [
                {"artifactType": "application/vnd.stackproof.bundle.v1", "digest": digest_of(manifest)},
            ]
        }
    )
    with pytest.raises(EnvironmentFault) as told:
        pull(TARGET, TAG, asking=registry.ask)
    assert told.value.diagnostics[0].code == "pull-broken"


def test_a_layout_holds_image_and_bundle_under_the_releases_name(parcel: Parcel) -> None:
    layout = layout_of(parcel)
    top = json.loads(layout["index.json"])["manifests"][0]
    assert top["annotations"]["org.opencontainers.image.ref.name"] == parcel.name
    index = json.loads(layout[f"blobs/sha256/{top['digest'][7:]}"])
    assert [each.get("artifactType", "image") for each in index["manifests"]] == [
        "image",
        "application/vnd.stackproof.bundle.v1",
    ]

"""What each code of publishing a bundle, and of getting one back, means."""

EXPLANATIONS: dict[str, str] = {
    "publish-target": (
        "A release is published into a folder, to a git remote (`git:ADDRESS`), to a registry "
        "(`oci:HOST/REPOSITORY`, in small letters as registries want it) or as an image layout (`layout:FOLDER`). "
        "What was given is none of these."
    ),
    "publish-not-sound": (
        "A bundle is checked as a stranger would check it before anything of it goes out, and once more where it was "
        "copied. That check failed, and the findings below it say where. Nothing became visible."
    ),
    "publish-other-name": (
        "A release is published under the name in its release.json and under no other. The folder of the bundle, or "
        "the project that it is published from, names another one. Short and long names for one release are how two "
        "releases come to be taken for one."
    ),
    "publish-name-taken": (
        "The name exists where it shall be published, with other content, perhaps since a moment ago. What is "
        "published is never replaced or moved, since others may have it already. Give the release another name, and "
        "pin it."
    ),
    "publish-not-as-sent": (
        "After a push the tag is fetched again, and its tree is not the release's. The remote changes what it is "
        "given, or somebody moved the tag in between. Look at the remote before anybody uses it."
    ),
    "remote-refused": (
        "git could not reach the remote, or the remote refused the push. Branch and tag go in one step, so neither is "
        "there. The notes have git's own words. Publishing again finishes what was begun."
    ),
    "registry-unreachable": (
        "The registry did not answer. The tag is set last, so nothing of the release can be seen there. Publish "
        "again when it is back; what has arrived is not sent a second time."
    ),
    "registry-refused": (
        "The registry refused a request: it wants a name and a token that may write, has no room, or does not take the "
        "content. The tag is set last, so nothing of the release can be seen there."
    ),
    "pull-nothing-there": (
        "There is no such release in that repository of the registry. Names are exact: the release's name is the tag."
    ),
    "pull-broken": (
        "What stands under the name is no release with a bundle, or bytes came that do not have the digest that names "
        "them. Nothing of it is believed and nothing was written."
    ),
}

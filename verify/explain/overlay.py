"""Explanations of releases on top of releases: bases, what their bundles carry, and promotion."""

EXPLANATIONS: dict[str, str] = {
    "upstream-commit-inherited": (
        "A release that stands on another one has upstream's commit from there. Stated twice, the two would differ "
        "one day, and nobody could say which holds. Set `upstream_commit` to null."
    ),
    "base-release-missing": (
        "The base is another release, and where its bundle is said to be there is none. The path is relative to the "
        "folder of release.json and names the bundle's own folder, which holds its release.json and blocks/."
    ),
    "base-release-differs": (
        "The base pins another release by its name and by the digest of its declared files. What lies in the bundle "
        "has another name or digest, cannot be read, or its patches do not give the trees that it promises: it was "
        "changed, it is another release, or the name was used twice. Nothing of it was used. Get the bundle again "
        "from where it was published; to stand on another release on purpose, bump to it."
    ),
    "base-release-cycle": (
        "A release stands on another one, and that one on a third; somewhere in this line a name comes twice. A "
        "release cannot stand on itself, and two contents of one name cannot be told apart. Give the overlay a name "
        "of its own."
    ),
    "base-release-too-deep": (
        "Each release of the line stands on the one below it, and there are more of them than anybody can follow, "
        "or a bundle that was made to keep its reader busy. Promote what is ready into the release below."
    ),
    "base-release-path": (
        "A bundle does not carry upstream, it says where it comes from. Where that is a path, it was meant in the "
        "folder in which the release was made. `base` of the source, beside `bundle`, says where the archive, "
        "folder or repository lies here; its digest, commit or tree is still the one that the release pins. A "
        "package of the index needs no such path."
    ),
    "bundle-base-release-differs": (
        "An overlay's bundle carries the declared files and stack.json of each release that it stands on. One of "
        "them is missing, or is not the release that the one above pins by name and digest, or its patches and "
        "credits do not give its trees and commits. What the overlay's own patches were tried on is then not what "
        "it promises. Get the bundle again from where it was published."
    ),
    "promote-no-overlay": (
        "Promotion moves blocks of an overlay into the release that it stands on. The project that was named stands "
        "on upstream itself, so there is no such release. Import its patches with `stackproof fold`, or name the "
        "overlay."
    ),
    "promote-not-pinned": (
        "The gate of a promotion is that the overlay's tip stays what it was. The overlay's folds, messages or base "
        "were changed since it was pinned, or it never was, so that what was judged of it is not what would be "
        "promoted. Pin it, and have it judged, first."
    ),
    "promote-other-base": (
        "The overlay stands on another tip than that of this project: the release was changed since, or the overlay "
        "on an older one. Its blocks would meet files that nobody tried them on. Bring the overlay to this release "
        "first, with `stackproof bump --to` and the release's bundle, then promote."
    ),
    "promote-name-taken": (
        "Two blocks of one release cannot have one name, and the release has a block of that name already. Rename "
        "the overlay's block; its folds and reviews go with it."
    ),
    "promote-requires": (
        "A block that is promoted says that it requires another block of the overlay, and that one stays behind. "
        "The release would declare a need that it does not meet. Promote both, or take the need out of block.yaml "
        "if it is none."
    ),
    "promote-model-differs": (
        "A gate of a promoted block names a model that the release pins to another file or digest. Under one name "
        "it would be measured on something else than before, and what was proven would not be about it. Give one of "
        "the two another name."
    ),
    "promote-changes-tip": (
        "The gate of a promotion is that the tip stays what it was. With these blocks first, and the others of the "
        "overlay behind them, the overlay would end at another tree, or the release with them would not end where "
        "the overlay lays them: they do not commute with what stays behind, or stand on it. Nothing was written. "
        "Promote what they stand on as well, or reorder the overlay's blocks first: `stackproof reorder` says where "
        "they do not commute."
    ),
}

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
}

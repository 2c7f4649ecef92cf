"""Explanations of what can go wrong between the package index and the base tree."""

EXPLANATIONS: dict[str, str] = {
    "archive-broken": (
        "The archive of the base cannot be read to its end: it is cut off, or its compression is damaged. "
        "Nothing of it was used. Remove it from the cache, or get it again, and repeat the command."
    ),
    "archive-entry-kind": (
        "A base may hold files, folders and symbolic links. This one holds something else (a device, a pipe, a "
        "socket or a sparse file), which no git tree can hold and no honest source archive has. "
        "Remove it from the source, or pin another source."
    ),
    "archive-link-out": (
        "A link in the base leads out of it: to an absolute path, through `..` above its top, or as a hard link to a "
        "file that the base does not hold. Following it would read or write files of the machine. "
        "Pin a source without such links."
    ),
    "archive-path-out": (
        "A path in the archive is absolute in disguise, has `.` or `..` in it, or is not a path at all. "
        "Unpacked, it would land outside of its folder. Nothing of the archive was used."
    ),
    "archive-path-twice": (
        "The archive gives one path twice, or as a file and as a folder of other files too. Which one is meant "
        "would depend on the program that unpacks it, so the tree would not be the same for everyone."
    ),
    "archive-too-large": (
        "The archive holds more files, longer paths, larger files or more bytes than any engine has, or unpacks to so "
        "much more than its own size that it can only be meant to fill the disk. It was stopped while it unpacked."
    ),
    "base-archive-missing": (
        "release.json names a local archive as the base, relative to the folder of release.json, and there is no such "
        "file. Correct the path, or put the archive there."
    ),
    "base-differs-from-upstream": (
        "The files of the base are not the files of the upstream commit that release.json names: the source was "
        "changed after it was checked out, or the commit is the wrong one. Both trees and the first differing paths "
        "are told. A base with unknown changes in it proves nothing about upstream: correct `base.upstream_commit`, or "
        "pin a source that is what it says."
    ),
    "base-fetch-failed": (
        "git could not get the commit of the base from its repository: the repository is not there, cannot be reached, "
        "or does not have (or does not give away) this commit. The lines of git are told with it."
    ),
    "base-folder-missing": (
        "The folder that release.json names as the engine's is not in the source, or is empty. "
        "List the source and correct `base.source.folder` or `base.source.path`."
    ),
    "base-path-git": (
        "A path in the base has `.git` as one of its parts. Git keeps its own data under that name and takes no such "
        "path into a tree; a checkout that had one would run a stranger's configuration. "
        "Remove the embedded repository from the source."
    ),
    "base-repository-broken": (
        "The archive carries upstream's own repository, and an object or a pack in it is damaged or is not what its "
        "name says. The archive was made from a broken repository, or was changed. Pin another one."
    ),
    "download-failed": (
        "pip, with your own configuration of it, could not get a pinned package: its last lines are told. Common "
        "reasons are no network, a package index that does not have this version, or a missing proxy setting. "
        "The command in the help shows pip's whole answer."
    ),
    "object-missing": (
        "The object store in the cache lacks an object that its own records need, or cannot read it: a disk error, or "
        "a file that was removed by hand. Nothing in the store is precious: remove the store and repeat the command."
    ),
    "object-store-broken": (
        "The object store in the cache is not a git repository any more. "
        "Nothing in it is precious: remove it and repeat the command."
    ),
    "offline-not-cached": (
        "The command may not use the network (`--offline`), and what it needs was never downloaded, or what is in the "
        "cache has other content than what is pinned. Run it once without `--offline`."
    ),
    "pip-missing": (
        "Downloads go through pip, so that your index, proxy and certificates are used, and this Python has none. "
        "The help shows how to install it."
    ),
    "sha256-differs": (
        "A file does not have the SHA-256 that is pinned for it. Either the pin is wrong, or somebody gave you another "
        "file: a changed release, a mirror that is out of date, an attack. Both digests are told. "
        "Nothing of the file was used."
    ),
    "upstream-commit-differs": (
        "A base from a git repository is the commit that its source names; `base.upstream_commit` may repeat it or be "
        "null, but it may not name another one."
    ),
    "upstream-commit-missing": (
        "The archive carries an upstream repository, but not the commit that release.json names. What the archive says "
        "of itself is told, to find the mistake, and is not believed."
    ),
    "upstream-commit-unprovable": (
        "`base.upstream_commit` promises that the files of the base are those of that commit. An archive or a folder "
        "without upstream's objects cannot show that, and a promise that nobody checks is worse than none."
    ),
}

"""Patches that must not be taken as they are."""

from dataclasses import replace

from tests.gates.good import CACHE_FILE, QUEUE_FILE, change, created
from tests.sabotage.ways import Way, broken, in_first_fold, patched, redeclared
from verify.model.block import Tombstone
from verify.model.ids import RepoPath
from verify.model.patch import Action, Mode


def buried(text: str, *paths: str) -> Way:
    """The text was dropped on purpose, and the first block's fold adds it again."""
    stone = Tombstone(text=text, paths=paths, reason="it raced", source="queue/old")
    again = patched(change(QUEUE_FILE, b"int old_queue(void);\n"))
    return lambda case: redeclared(lambda release: replace(release, tombstones=(stone,)))(again(case))


SABOTAGES = (
    broken("what was dropped comes back", "tombstones", "tombstone-returns", buried("old_queue")),
    broken("it comes back where it is looked for", "tombstones", "tombstone-returns", buried("old_queue", "src/**")),
    broken("a path leaves the tree", "path-safety", "path-unsafe", patched(created(b"../etc/passwd"))),
    broken("a path reaches into .git", "path-safety", "path-unsafe", patched(created(b".GIT/config"))),
    broken("a new name is reserved", "path-safety", "path-not-portable", patched(created(b"src/aux.h"))),
    broken("a new name has a colon", "path-safety", "path-not-portable", patched(created(b"src/a:b"))),
    broken("a new name differs by case", "path-safety", "path-collides", patched(created(b"src/QUEUE.cpp"))),
    broken("a new folder differs by case", "path-safety", "path-collides", patched(created(b"SRC/new.h"))),
    broken(
        "two new names differ by case",
        "path-safety",
        "path-collides",
        patched(created(b"src/new.h"), created(b"src/New.h")),
    ),
    broken(
        "a symlink points out",
        "path-safety",
        "symlink-leaves-tree",
        patched(created(b"src/link", Mode.SYMLINK, b"../../etc")),
    ),
    broken(
        "a symlink is absolute",
        "path-safety",
        "symlink-leaves-tree",
        patched(created(b"src/link", Mode.SYMLINK, b"/etc")),
    ),
    broken(
        "a submodule is brought",
        "path-safety",
        "submodule-brought",
        patched(created(b"vendor", Mode.SUBMODULE, b"Subproject commit 1\n")),
    ),
    broken("a line ends in a space", "hygiene", "added-trailing-space", patched(change(QUEUE_FILE, b"rotate \n"))),
    broken("a line ends in CR", "hygiene", "added-carriage-return", patched(change(QUEUE_FILE, b"rotate\r\n"))),
    broken(
        "an indent has a space before a tab",
        "hygiene",
        "added-space-before-tab",
        patched(change(QUEUE_FILE, b"  \trotate\n")),
    ),
    broken(
        "a conflict marker stays", "hygiene", "added-conflict-marker", patched(change(QUEUE_FILE, b"<<<<<<< ours\n"))
    ),
    broken(
        "a mail's first line stays",
        "hygiene",
        "added-mail-header",
        patched(change(QUEUE_FILE, b"From " + b"a" * 40 + b" Mon Sep 17 00:00:00 2001\n")),
    ),
    broken(
        "a mail's header stands in the message",
        "hygiene",
        "message-mail-header",
        in_first_fold(lambda fold: replace(fold, body="From: A <a@x.dev>\n\nWhy.")),
    ),
    broken(
        "a file ends without a line end",
        "hygiene",
        "added-no-final-newline",
        patched(created(b"src/queue.cpp", Mode.FILE, b"rotate")),
    ),
    broken("a fold strays", "fold-owns", "fold-strays", patched(change(CACHE_FILE, b"rotate\n"))),
    broken(
        "a rename takes a file from another block",
        "fold-owns",
        "fold-strays",
        patched(replace(change(QUEUE_FILE), action=Action.RENAME, old_path=RepoPath(b"src/cache.cpp"))),
    ),
)

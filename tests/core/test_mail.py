"""What stands around a patch: who, when, why; and that our own mail form loses nothing."""

import base64
import dataclasses
import quopri

import pytest

from builder.exchange.mail_out import fold_mail
from tests.core.stacks import TEXT, fold, replacing
from verify.diff.mail import read_messages
from verify.diff.submission import Dialect, parse_sections
from verify.model.block import Person

PATCH = replacing(TEXT, b"line 5\n", b"five\n")


def test_a_mail_of_git_is_read_as_git_reads_it() -> None:
    text = (
        b"From 1234567890123456789012345678901234567890 Mon Sep 17 00:00:00 2001\n"
        b"From: =?UTF-8?q?J=C3=B6rg?= <j@example.org>\nDate: Tue, 5 Mar 2024 10:00:00 +0100\n"
        b"Subject: [PATCH v2 1/3] x: do it\n in two lines\n\n"
        b"Because.\n\nSigned-off-by: J <j@example.org>\n---\n x | 2 +-\n\n"
    )
    (message,) = read_messages(text + PATCH)
    assert message.subject == "x: do it in two lines"
    assert message.body == "Because.\n\nSigned-off-by: J <j@example.org>"
    assert message.author == Person(name="Jörg", email="j@example.org")
    assert message.date == "@1709629200 +0100"


def test_tags_that_are_no_patch_number_stay_in_the_subject() -> None:
    (message,) = read_messages(b"From: A <a@example.org>\nSubject: [PATCH] [3.11] gh-1: fix\n\nb\n")
    assert message.subject == "[3.11] gh-1: fix"


def test_the_author_named_in_the_body_wins() -> None:
    (message,) = read_messages(b"From: B <b@example.org>\nSubject: s\n\nFrom: A <a@example.org>\n\nbody\n")
    assert message.author == Person(name="A", email="a@example.org")
    assert message.body == "body"


def test_a_dep3_header_is_read() -> None:
    text = b"Description: make it build\n On all machines.\n .\n Really.\nAuthor: A <a@example.org>\n"
    text += b"Last-Update: 2020-02-03\n\n"
    (message,) = read_messages(text + PATCH)
    assert (message.subject, message.body) == ("make it build", "On all machines.\n\nReally.")
    assert message.author == Person(name="A", email="a@example.org")
    assert message.date == "@1580688000 +0000"


def test_free_text_gives_no_author() -> None:
    (message,) = read_messages(b"just some words\n\n" + PATCH)
    assert (message.subject, message.author, message.date) == ("", None, None)


def test_a_bare_diff_may_stand_in_front_of_mails() -> None:
    mail = b"From 1234567890123456789012345678901234567890 Mon Sep 17 00:00:00 2001\nFrom: A <a@b.org>\nSubject: s\n\n"
    messages = read_messages(PATCH + b"\n" + mail + PATCH)
    assert [message.subject for message in messages] == ["", "s"]
    assert messages[1].first_line == PATCH.count(b"\n") + 2


@pytest.mark.parametrize("encoding", ["quoted-printable", "base64"])
def test_an_encoded_mail_is_decoded(encoding: str) -> None:
    head = f"From: A <a@example.org>\nSubject: s\nContent-Transfer-Encoding: {encoding}\n".encode()
    body = quopri.encodestring(PATCH) if encoding == "quoted-printable" else base64.encodebytes(PATCH)
    (message,) = read_messages(head + b"\n" + body)
    assert len(parse_sections(message.text, file="p", dialect=Dialect.GIT)) == 1


@pytest.mark.parametrize(
    "body",
    [
        "", "plain", "two\n\nparagraphs", "with\n---\na line", "diff --git a/x b/x\nin the text",
        "--- a\n+++ b\n@@ -1 +1 @@",
        "Index: x", "From nobody Mon Sep 17 00:00:00 2001\nx", "From: A <a@b.org>\nfirst line",
        "ends\n\nKey: value", "  indented",
        "ümlaut", "@@ -1 +1 @@ x",
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    "subject", ["s", "[tag] s", "[PATCH] s", "s: with: colons", "ümlaut " * 20, "x" * 150, "Re: s"]
)
def test_a_mail_reads_back_as_the_fold_that_it_was_made_of(subject: str, body: str) -> None:
    one = dataclasses.replace(fold("one", PATCH), subject=subject.strip(), body=body, date="@1700000000 -0330")
    mail = fold_mail(one, number=1, total=2, separator="1" * 40)
    messages = read_messages(mail + mail)
    assert [(m.subject, m.body, m.date, m.author) for m in messages] == 2 * [
        (one.subject, one.body.strip("\n"), one.date, one.author)
    ]
    assert all(len(parse_sections(m.text, file="p", dialect=Dialect.GIT)) == 1 for m in messages)


def test_a_very_long_message_comes_back_whole() -> None:
    body = "---\n" + "a line of a long story\n" * 20_000 + "end"
    one = dataclasses.replace(fold("one", PATCH), body=body)
    (message,) = read_messages(fold_mail(one, number=1, total=1, separator="1" * 40))
    assert message.body == body

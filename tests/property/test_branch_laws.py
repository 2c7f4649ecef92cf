"""Laws of the branch: what is checked out and synced is what was there; what is written into block.yaml reads back."""

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from builder.commit import message
from builder.edit.branch import split_message
from builder.edit.folds_text import FoldText, scalar, with_folds
from tests.edit.conftest import template
from tests.edit.test_folds_text import read
from tests.edit.workshop import Workshop
from verify.manifest.mistakes import Mistakes
from verify.manifest.node import Scalar, Source, Table
from verify.manifest.syntax import read_yaml
from verify.model.ids import FoldId

__all__ = ["template"]

LAWS = settings(derandomize=True, deadline=None, max_examples=200, suppress_health_check=[HealthCheck.too_slow])
LINE = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), min_size=1, max_size=40).map(str.strip)
WORDS = LINE.filter(bool)
BODY = st.lists(st.one_of(LINE, st.just(""), st.just("# not a comment"), st.just("- id: x")), max_size=6).map(
    lambda lines: "\n".join(lines).strip("\n")
)


@LAWS
@given(text=WORDS)
def test_a_scalar_reads_back_as_itself(text: str) -> None:
    root = read_yaml(Source("x", f"key: {scalar(text)}\n"), Mistakes())
    assert isinstance(root, Table)
    value = root.entries[0].value
    assert isinstance(value, Scalar)
    assert value.text == text
    assert not value.is_null()


@LAWS
@given(subject=WORDS, body=BODY, changed=BODY)
def test_a_fold_written_and_changed_reads_back_as_it_was_last_said(subject: str, body: str, changed: str) -> None:
    def fold(words: str) -> FoldText:
        return FoldText(id=FoldId("one"), fields=(("id", "one"), ("subject", subject), ("body", words)))

    text = with_folds("# head\nowns: [a]\nfolds: []\n# end\n", "x", [fold(body)])
    assert [(item["subject"], item.get("body", "")) for item in read(text)] == [(subject, body)]
    again = with_folds(text, "x", [fold(changed)])
    assert [(item["subject"], item.get("body", "")) for item in read(again)] == [(subject, changed)]
    assert again.startswith("# head\nowns: [a]\n")
    assert again.endswith("# end\n")


@LAWS
@given(subject=WORDS, body=BODY)
def test_a_message_splits_into_what_it_was_made_of(subject: str, body: str) -> None:
    body = "\n".join(line.strip() for line in body.split("\n")).strip("\n")
    while "\n\n\n" in body:
        body = body.replace("\n\n\n", "\n\n")
    trailers = (("Stackproof-Block", "alpha"), ("Stackproof-Fold", "one"))
    made = message(subject=subject, body=body, trailers=trailers)
    assert split_message(made) == (subject, body, dict(trailers))


CONTENT = st.text(st.sampled_from("ab\n \t\r"), max_size=60)
CHANGES = st.lists(
    st.tuples(st.sampled_from(["src/b.cpp", "src/a.cpp", "new/x", "new x"]), CONTENT, st.booleans()), max_size=4
)


@settings(derandomize=True, deadline=None, max_examples=6, suppress_health_check=list(HealthCheck))
@given(changes=CHANGES)
def test_checking_out_and_syncing_is_nothing(template: Workshop, changes: list[tuple[str, str, bool]]) -> None:
    with TemporaryDirectory() as folder:
        for part in (template.root, template.cache, template.branch):
            shutil.copytree(part, Path(folder) / part.name, symlinks=True)
        shop = Workshop(root=Path(folder) / "project", cache=Path(folder) / "cache", branch=Path(folder) / "branch")
        (shop.branch / ".git/objects/info/alternates").write_text(f"{shop.cache}/objects.git/objects\n")
        assign = {}
        for number, (name, text, executable) in enumerate(changes):
            file = shop.branch / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text.encode())
            file.chmod(0o755 if executable else 0o644)
            assign[shop.commit(f"Change {number}")] = f"beta/change-{number}"
        shop.sync(assign)
        written = shop.files()
        tree = shop.git("rev-parse", "HEAD^{tree}")
        shop.checkout()
        assert shop.git("rev-parse", "HEAD") == shop.stack().tip_commit()
        assert shop.git("rev-parse", "HEAD^{tree}") == tree
        assert shop.sync().is_empty()
        assert shop.files() == written

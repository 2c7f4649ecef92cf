"""Pages and worklogs that say what is not so."""

from dataclasses import replace

from tests.gates.good import DOCUMENTS
from tests.sabotage.ways import Way, broken, unknown

LOST = ".".join(("261130", "009"))  # written so that it is no reference of ours
TABLE = "<!-- stackproof:table blocks -->\n| block |\n<!-- stackproof:end -->\n"


def written(**texts: str) -> Way:
    """The pages hold other text."""
    documents = DOCUMENTS | {f"{name}.md": text for name, text in texts.items()}
    return lambda case: replace(case, documents=documents)


def entries(*headings: str) -> str:
    return "# Worklog\n" + "".join(f"\n## {heading}\nWhy.\n" for heading in headings)


SABOTAGES = (
    broken("a page refers to no entry", "worklog", "worklog-dangling", written(README=f"See {LOST}.\n")),
    broken("an entry has no number", "worklog", "worklog-number", written(WORKLOG=entries("2611.1 One"))),
    broken(
        "two entries have one number",
        "worklog",
        "worklog-repeated",
        written(WORKLOG=entries("261130.001 One", "261130.001 Two")),
    ),
    broken(
        "an entry stands behind a later one",
        "worklog",
        "worklog-order",
        written(WORKLOG=entries("261130.002 Two", "261130.001 One")),
    ),
    unknown("nobody read the texts", "worklog", "documents-not-read", lambda case: replace(case, documents=None)),
    broken("a table is another release's", "docs-drift", "docs-drift", written(README=TABLE)),
    broken("a table does not end", "docs-drift", "docs-table-open", written(README=TABLE.partition("|")[0])),
    broken("a table is unknown", "docs-drift", "docs-table-unknown", written(README=TABLE.replace("blocks", "blokcs"))),
    unknown("nobody read the pages", "docs-drift", "documents-not-read", lambda case: replace(case, documents=None)),
)

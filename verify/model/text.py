"""The texts that measurements read, each by its SHA-256: they come with this package (`verify/probe/texts/`)."""

from collections.abc import Mapping
from enum import StrEnum

from verify.model.ids import Sha256


class Text(StrEnum):
    """The texts there are; a new one has a new name, since figures over another text are other figures."""

    HARBOUR = "harbour"


TEXTS: Mapping[Text, Sha256] = {
    Text.HARBOUR: Sha256("12dc4ac1aaea53c3200af4028e2a73204cbcec06820139ba7600993485f13dba"),
}

"""What a release gives away beside its patches and sources: binaries of configurations, and an image of a program."""

from dataclasses import dataclass

from verify.model.ids import ConfigName


@dataclass(frozen=True, slots=True, kw_only=True)
class BinariesDecl:
    """The built programs and libraries of a configuration; `without` are globs of names that stay out.

    Each line of `smoke` is a program of the archive with its arguments, split at spaces; it must end with status 0.
    """

    configuration: ConfigName
    without: tuple[str, ...] = ()
    smoke: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageDecl:
    """The image that starts `program` of a configuration's binaries with these arguments."""

    configuration: ConfigName
    program: str
    arguments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifacts:
    """All of it; the sources are always given away."""

    binaries: tuple[BinariesDecl, ...] = ()
    image: ImageDecl | None = None


SOURCES_ALONE = Artifacts()
"""What holds where a release says nothing."""

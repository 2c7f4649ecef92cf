"""`artifacts` of release.json: which binaries and which image the release gives away."""

from collections.abc import Collection

from verify.manifest.mistakes import listed
from verify.manifest.scalars import line, name
from verify.manifest.value import Value
from verify.model.artifact import SOURCES_ALONE, Artifacts, BinariesDecl, ImageDecl
from verify.model.ids import ConfigName


def read_artifacts(value: Value, configurations: Collection[str]) -> Artifacts:
    """The table; `configurations` are those that have a build of the tip."""
    fields = value.fields(of="`artifacts`")
    binaries = fields.optional(
        "binaries", lambda table: table.named(lambda title, of: _binaries(title, of, configurations), of="archive"), ()
    )
    packed = {each.configuration for each in binaries}
    image = fields.optional("image", lambda table: _image(table, packed), None)
    fields.close()
    return Artifacts(binaries=binaries, image=image) if binaries or image else SOURCES_ALONE


def _binaries(title: str, value: Value, configurations: Collection[str]) -> BinariesDecl:
    if title not in configurations:
        value.wrong(
            "tip-not-built",
            f"there is no build of the tip in a configuration `{title}`, so that it has no binaries",
            notes=listed("configurations with the proof `tip`", configurations),
            step=f'add `"tip"` to the proofs of configuration `{title}`, or leave its binaries out',
        )
    fields = value.fields()
    found = BinariesDecl(
        configuration=ConfigName(title),
        without=fields.optional("without", lambda globs: globs.listing(line, of="glob"), ()),
        smoke=fields.optional("smoke", lambda lines: lines.listing(line, of="command"), ()),
    )
    fields.close()
    return found


def _image(value: Value, packed: Collection[str]) -> ImageDecl:
    fields = value.fields(of="`image`")
    image = ImageDecl(
        configuration=ConfigName(fields.get("configuration", name)),
        program=fields.get("program", line),
        arguments=fields.optional("arguments", lambda words: words.listing(line, of="argument", distinct=False), ()),
    )
    fields.close()
    if image.configuration not in packed:
        value.wrong(
            "tip-not-built",
            f"the image is made of the binaries of `{image.configuration}`, and these are not packed",
            notes=listed("packed configurations", packed),
            step=f"add `{image.configuration}` to `binaries`, or name another configuration",
        )
    return image

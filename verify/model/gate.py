"""A gate as declared: a name, a kind and that kind's typed parameters.

The parameters are the kind's own frozen dataclass (see `verify/gates`); this module knows only that there are some.
"""

from dataclasses import dataclass, fields, is_dataclass

from verify.model.diagnostic import Place
from verify.model.ids import BlockName, GateName, ModelName


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlived:
    """What a gate of the release came with and now stands without: a block that upstream took, and its switch.

    `switch` is empty where upstream has none; `off` is the value that turns it off.
    """

    block: BlockName
    switch: str
    off: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GateDecl:
    """One declared check; `block` is the block whose block.yaml declares it, None for one of release.json.

    `hardware` names what it must be measured on, empty for any machine.
    """

    name: GateName
    kind: str
    required: bool
    block: BlockName | None
    params: object
    place: Place
    hardware: str = ""
    outlived: Outlived | None = None

    def models(self) -> tuple[ModelName, ...]:
        """The models that the gate is run with, by those of its parameters that refer to one."""
        if not is_dataclass(self.params):
            return ()
        found = [
            getattr(self.params, field.name) for field in fields(self.params) if field.metadata.get("refers") == "model"
        ]
        names = [name for each in found for name in ((each,) if isinstance(each, str) else tuple(each or ()))]
        return tuple(dict.fromkeys(ModelName(name) for name in names if name))

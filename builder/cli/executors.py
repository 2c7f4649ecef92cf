"""Where `--executor` says that builds are to run."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from builder.executor import Executor
    from builder.pipeline import Stacked, Workshop


def executor_at(address: str | None, stacked: "Stacked", workshop: "Workshop") -> "Executor":
    """The cluster whose scheduler is at the address; this machine alone where none is named."""
    from builder.executor import LOCAL

    if address is None:
        return LOCAL
    from builder.cluster import DaskExecutor

    return DaskExecutor(address=address, store=stacked.store, base_tree=stacked.imported.tree, cache=workshop.cache)

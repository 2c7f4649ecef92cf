"""Every kind of gate by name. A kind that is not here does not exist."""

from collections.abc import Mapping

from verify.gates import (
    abi,
    arm_identity,
    attribution,
    axis_uniformity,
    build,
    checkpoint_resume,
    claims,
    deviations,
    docs_drift,
    fold_owns,
    golden_tokens,
    logits,
    memory_budget,
    patch_hygiene,
    path_safety,
    repeat_determinism,
    requires,
    slot_files,
    state_round_trip,
    switches,
    tensor_trace,
    tombstones,
    tree_equal,
    warm_behind_cold,
    warnings,
    worklog,
)
from verify.gates.kind import AnyKind

_ALL: tuple[AnyKind, ...] = (
    tree_equal.KIND,
    path_safety.KIND,
    patch_hygiene.KIND,
    fold_owns.KIND,
    tombstones.KIND,
    claims.KIND,
    attribution.KIND,
    switches.KIND,
    worklog.KIND,
    docs_drift.KIND,
    deviations.KIND,
    build.KIND,
    warnings.KIND,
    requires.KIND,
    abi.KIND,
    golden_tokens.KIND,
    arm_identity.KIND,
    warm_behind_cold.KIND,
    checkpoint_resume.KIND,
    slot_files.KIND,
    logits.KIND,
    axis_uniformity.KIND,
    repeat_determinism.KIND,
    state_round_trip.KIND,
    memory_budget.KIND,
    tensor_trace.KIND,
)

KINDS: Mapping[str, AnyKind] = {kind.name: kind for kind in _ALL}

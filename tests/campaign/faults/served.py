"""Faults of the server: switches, features, the lines that it logs, and what a block claims of its source."""

from tests.campaign.faults.fault import Edit, Fault

_ROTATION = "prefill-rotation/unified-order"
_SWITCH = 'prefill_rotation = !LLAMA_SERVER_PREFILL_ROTATION || std::string(LLAMA_SERVER_PREFILL_ROTATION) != "0";'
_SAMPLE = "id = common_sampler_sample(slot.smpl.get(), slot.ctx_tgt, tok_idx);"
_LOADED = "            ckpt_spare.clear();\n        }\n"
_KEPT = "if (slot.ckpt_resumed != n_tokens) {"


def _server(name: str, about: str, old: str, new: str, gate: str, code: str, *, fold: str = "") -> Fault:
    edit = Edit(path="tools/server/server-context.cpp", old=old, new=new)
    return Fault(name=name, about=about, gate=gate, code=code, edits=(edit,), fold=fold)


SWITCHES = (
    _server("switch-ignored", "a switch that is read, and the feature stays on", _SWITCH,
            "prefill_rotation = !LLAMA_SERVER_PREFILL_ROTATION || LLAMA_SERVER_PREFILL_ROTATION[0];",
            "prefill-rotation/rotation-arm", "effect-without-switch", fold=_ROTATION),
    _server("feature-compiled-out", "a switch that is read, and a feature that is not in the build", _SWITCH,
            "(void) LLAMA_SERVER_PREFILL_ROTATION; prefill_rotation = false;",
            "prefill-rotation/rotation-arm", "arm-without-effect", fold=_ROTATION),
    _server("undone-by-a-later-block", "a later block that turns an earlier one's feature off", _SWITCH,
            "(void) LLAMA_SERVER_PREFILL_ROTATION; prefill_rotation = false;",
            "prefill-rotation/rotation-arm", "arm-without-effect"),
    _server("order-not-turned", "a feature that is on and keeps the old order",
            "order.push_back(&slots[(first + i) % slots.size()]);", "order.push_back(&slots[i % slots.size()]);",
            "prefill-rotation/warm-behind-cold", "warm-still-waits"),
    _server("line-with-feature-off", "a log line that is printed with the feature off", _LOADED,
            f'{_LOADED}        SRV_INF("%s", "keeping context checkpoint 0 of 0\\n");\n',
            "checkpoint-keep/keep-arm", "effect-without-switch"),
    _server("keeps-nothing", "a checkpoint that is never kept", _KEPT, _KEPT.replace("n_tokens", "n_tokens + 1"),
            "checkpoint-keep/resume-recurrent", "checkpoint-superseded"),
    _server("variable-not-declared", "a variable of the environment that no block declares", _LOADED,
            f'{_LOADED}        if (getenv("LLAMA_SERVER_UNTOLD")) {{ checkpoint_keep = false; }}\n',
            "switches", "switch-undeclared"),
)  # fmt: skip

ANSWERS = (
    _server("wrong-sample", "every fifth token is another one", _SAMPLE, f"{_SAMPLE} if (id % 5 == 0) {{ id++; }}",
            "golden-smollm2", "golden-differs"),
    _server("crash", "a server that ends while it answers", _SAMPLE,
            f"{_SAMPLE} if (slot.stats.n_gen > 5) {{ abort(); }}", "golden-window", "arm-broken"),
    _server("claim-broken", "a return between the order's making and the cursor's update",
            "        auto order = prefill_order();\n",
            "        auto order = prefill_order();\n        if (order.empty()) { return; }\n",
            "claims", "claim-fails"),
)  # fmt: skip

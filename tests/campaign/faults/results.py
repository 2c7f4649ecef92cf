"""Faults in what is computed: kernels, masks, and states that are saved and restored."""

from tests.campaign.faults.fault import Edit, Fault

_NORM = "const float scale = 1.0f/sqrtf(mean + eps);"
_REST = "\n\n                // if you hit this, likely you got an inf somewhere earlier"


def _norm(name: str, about: str, term: str, gate: str, code: str) -> Fault:
    """A fault in the root mean square norm, which every model here runs through; `ne01` is the width of the batch."""
    new = f"const float scale = 1.0f/sqrtf(mean + ({term})*eps);{_REST}"
    edit = Edit(path="ggml/src/ggml-cpu/ops.cpp", old=_NORM + _REST, new=new)
    return Fault(name=name, about=about, gate=gate, code=code, edits=(edit,))


_WRONG = "1.5f"
_FAR = "300.0f"

KERNELS = (
    _norm("wrong-term", "one wrong term in a kernel", _WRONG, "logits-attention", "logits-differ"),
    _norm("wrong-term-in-a-hybrid", "the same in a hybrid model", _WRONG, "logits-hybrid", "logits-differ"),
    _norm("wrong-term-quantised", "the same with quantised weights", _WRONG, "logits-quantised", "logits-differ"),
    _norm("wrong-term-located", "the same, and the operation is named", _WRONG, "operations-recurrent",
          "operation-differs"),
    _norm("wrong-term-in-a-text", "a wrong term, seen in a text's probabilities", _FAR, "kld-window",
          "divergence-too-large"),
    _norm("width-dependent", "a reduction that depends on the width of the batch",
          f"(ne01 > 1 && ne01 <= 8 ? {_FAR} : 1.0f)", "widths-smollm2", "axis-differs"),
    _norm("threads-dependent", "a result that depends on the number of threads", f"(nth > 1 ? {_WRONG} : 1.0f)",
          "threads-attention", "axis-differs"),
    _norm("microbatch-dependent", "a result that depends on the micro-batch", f"(ne01 > 64 ? {_WRONG} : 1.0f)",
          "microbatches-attention", "axis-differs"),
    _norm("unrepeatable", "a result that depends on the clock", f"(ggml_time_us() & 1 ? {_WRONG} : 1.0f)",
          "repeats-attention", "run-differs"),
    _norm("no-numbers", "a kernel that gives no numbers", "NAN", "logits-recurrent", "logits-degenerate"),
    Fault(
        name="window-off-by-one", about="a sliding window that is one token too wide",
        gate="logits-window", code="logits-differ",
        edits=(Edit(
            path="src/llama-hparams.h",
            old="if (p1 - p0 >= (int32_t) n_swa) {",
            new="if (p1 - p0 > (int32_t) n_swa) {",
        ),),
    ),
)  # fmt: skip

_CELLS_READ = "        try {\n            res = res && state_read_data(io, strm, cell_count, sinfo);\n"
_STATE_READ = "        res = res && state_read_data(io, cell_count);\n"
_RESTORED = "n_past   = std::min(slot.prompt.tokens.size_up_to_pos(pos_next), (size_t) it->n_tokens)"


def _late(name: str, about: str, more: str, gate: str, code: str) -> Fault:
    edit = Edit(path="tools/server/server-context.cpp", old=f"{_RESTORED};", new=f"{_RESTORED} {more}")
    return Fault(name=name, about=about, gate=gate, code=code, edits=(edit,))


STATES = (
    Fault(
        name="restored-cell-dropped", about="a state restore that drops a cell",
        gate="states-attention", code="state-continues-otherwise",
        edits=(Edit(
            path="src/llama-kv-cache.cpp",
            old=_CELLS_READ,
            new=_CELLS_READ
            + "            if (res && cell_count > 1) { v_cells[strm].rm(sinfo.idxs[0][cell_count - 1]); }\n",
        ),),
    ),
    Fault(
        name="recurrent-state-not-read", about="a recurrent state that is not wholly restored",
        gate="states-recurrent", code="state-continues-otherwise",
        edits=(Edit(
            path="src/llama-memory-recurrent.cpp",
            old=_STATE_READ,
            new=_STATE_READ
            + "        for (auto * each : s_l) { if (each) { ggml_backend_tensor_memset(each, 0, 0, 64); } }\n",
        ),),
    ),
    _late("checkpoint-one-late", "a checkpoint restored one token late", "+ 1; pos_next++;",
          "checkpoint-keep/resume-recurrent", "arm-broken"),
    # With a sliding window the last position of a checkpoint is evaluated again, so that one more is none too few.
    _late("checkpoint-one-late-in-a-window", "the same with a sliding window", "+ 2; pos_next += 2;",
          "checkpoint-keep/resume-window", "arm-broken"),
)  # fmt: skip

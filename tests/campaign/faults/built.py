"""Faults in what the engine costs, in how it is built, in its own tests, and in what surrounds it when it runs."""

from tests.campaign.faults.fault import Edit, Fault

_COMPUTE = "    auto status = ggml_backend_sched_graph_compute_async(sched.get(), gf);\n"
_KEPT = "if (slot.ckpt_resumed != n_tokens) {"
_CASES = "make_test_cases_eval() {\n    std::vector<std::unique_ptr<test_case>> test_cases;\n"
_FMA = "                    list(APPEND ARCH_FLAGS -mfma)\n"
_SERVER = "tools/server/server-context.cpp"


def _compute(name: str, about: str, text: str, gate: str, code: str) -> Fault:
    """A fault before each graph is computed."""
    edit = Edit(path="src/llama-context.cpp", old=_COMPUTE, new=f"    {text}\n{_COMPUTE}")
    return Fault(name=name, about=about, gate=gate, code=code, edits=(edit,))


COSTS = (
    _compute("five-percent", "one instruction in twenty for nothing",
             "for (volatile int i = 0; i < 12000; ++i) { }", "counts-attention", "count-ratio-too-large"),
    _compute("slow", "ten milliseconds of computing for nothing in every graph",
             "{ const int64_t until = ggml_time_us() + 10000; while (ggml_time_us() < until) { } }",
             "speed-smollm2", "ratio-too-large"),
    _compute("leak", "a MiB that every computed graph leaves behind",
             "{ volatile char * left = new char[1 << 20]; for (int i = 0; i < 1 << 20; i += 1024) { left[i] = 1; } }",
             "memory-attention", "memory-not-given-back"),
    _compute("more-memory", "forty MiB more for every context",
             "static std::vector<char> spare(40 << 20, 1); if (spare[7] == 0) { return GGML_STATUS_FAILED; }",
             "memory-attention", "memory-over-upstream"),
    Fault(
        name="leak-in-the-server", about="half a MiB that every request leaves behind",
        gate="server-window", code="server-memory-grows",
        edits=(Edit(
            path=_SERVER,
            old="        auto order = prefill_order();\n",
            new="        auto order = prefill_order();\n        for (auto * each : order) {\n"
                "            if (each->state == SLOT_STATE_STARTED) { memset(new char[1 << 19], 1, 1 << 19); }\n"
                "        }\n",
        ),),
    ),
)  # fmt: skip

BUILDS = (
    Fault(
        name="unoptimised-kernels", about="kernels that are built without optimisation", lies_in="build",
        gate="counts-quantised", code="count-ratio-too-large",
        edits=(Edit(
            path="ggml/src/ggml-cpu/CMakeLists.txt",
            old=_FMA,
            new=_FMA.replace("-mfma", "-mfma -O1 -fno-tree-vectorize"),
        ),),
    ),
    Fault(
        name="reordered-sums", about="kernels whose sums the compiler may reorder", lies_in="build",
        gate="logits-attention", code="logits-differ",
        edits=(Edit(
            path="ggml/src/ggml-cpu/CMakeLists.txt",
            old=_FMA,
            new=_FMA.replace(
                "-mfma", "-mfma -fassociative-math -freciprocal-math -fno-signed-zeros -fno-trapping-math"
            ),
        ),),
    ),
    Fault(
        name="does-not-compile", about="a name that there is not", lies_in="build",
        gate="builds", code="block-does-not-build",
        declares={"builds": {"kind": "build", "configurations": ["release"]}},
        edits=(Edit(path=_SERVER, old=_KEPT, new=_KEPT.replace("n_tokens", "no_such_name")),),
    ),
    Fault(
        name="warning", about="a new warning of the compiler", lies_in="build",
        gate="warnings", code="new-warning",
        declares={"warnings": {"kind": "warnings", "configurations": ["release"]}},
        edits=(Edit(path=_SERVER, old=_KEPT, new=f"int unused_here; {_KEPT}"),),
    ),
    Fault(
        name="foreign-library", about="a library from another build on the path", lies_in="environment",
        gate="golden-window", code="foreign-library", outcome="undecided",
        edits=(Edit(
            path="tools/server/CMakeLists.txt",
            old="set(TARGET llama-server)\n",
            new="set(TARGET llama-server)\nadd_link_options(-Wl,--disable-new-dtags,-rpath,{base})\n",
        ),),
    ),
)  # fmt: skip

OWN_TESTS = (
    Fault(
        name="vanished-test", about="a test that is built and not run any more", lies_in="build",
        gate="own-ctest", code="tests-vanished",
        declares={"own-ctest": {
            "kind": "test-set", "runner": "ctest", "configuration": "release", "minimum": 1, "names": "^test-sampling$",
        }},
        edits=(Edit(
            path="tests/CMakeLists.txt",
            old="    llama_build_and_test(test-sampling.cpp)\n", new="    llama_build(test-sampling.cpp)\n",
        ),),
    ),
    Fault(
        name="zero-cases", about="a test program that succeeds and runs no case",
        gate="own-operators", code="no-cases",
        declares={"own-operators": {
            "kind": "test-set", "runner": "backend-ops", "configuration": "release", "minimum": 1,
            "operators": ["RMS_NORM"],
        }},
        edits=(Edit(
            path="tests/test-backend-ops.cpp", old=_CASES, new=f"{_CASES}    return test_cases;\n",
        ),),
    ),
    Fault(
        name="failing-test", about="a sampler whose own test fails",
        gate="own-ctest", code="test-end-differs",
        declares={"own-ctest": {
            "kind": "test-set", "runner": "ctest", "configuration": "release", "minimum": 1, "names": "^test-sampling$",
        }},
        edits=(Edit(
            path="src/llama-sampler.cpp",
            old="static void llama_sampler_top_k_impl(llama_token_data_array * cur_p, int32_t k) {\n",
            new="static void llama_sampler_top_k_impl(llama_token_data_array * cur_p, int32_t k) {\n    k += k > 1;\n",
        ),),
    ),
)  # fmt: skip

"""A small release in which everything holds, made by hand: two blocks, one configuration, every kind of gate.

`good_case()` is the case whose verdict is `Holds`. A test breaks it in one way and says which gate must tell. What a
need was answered with is made here as a well-behaved engine would have made it.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from hashlib import sha256

from verify.diff.trace import Trace
from verify.evidence import make_key
from verify.gates.abi import Params as Abi
from verify.gates.alone import AloneTree
from verify.gates.arm_identity import Params as ArmIdentity
from verify.gates.axis_uniformity import Axis
from verify.gates.axis_uniformity import Params as AxisUniformity
from verify.gates.battery import gates_of
from verify.gates.build import Params as Build
from verify.gates.case import Case, Recorded, Rederived
from verify.gates.checkpoint_resume import Params as CheckpointResume
from verify.gates.command import Params as Command
from verify.gates.config_dump import Params as ConfigDump
from verify.gates.exercise import Exercise
from verify.gates.fails_before import Params as FailsBefore
from verify.gates.golden_tokens import Params as GoldenTokens
from verify.gates.kinds import KINDS
from verify.gates.kld import Params as Kld
from verify.gates.log_invariant import Params as LogInvariant
from verify.gates.logits import Params as Logits
from verify.gates.memory_budget import Params as MemoryBudget
from verify.gates.patch_hygiene import Params as PatchHygiene
from verify.gates.performance import Params as Performance
from verify.gates.relative_performance import Params as RelativePerformance
from verify.gates.repeat_determinism import Params as RepeatDeterminism
from verify.gates.requires import Params as Requires
from verify.gates.server_memory import Params as ServerMemory
from verify.gates.slot_files import Params as SlotFiles
from verify.gates.state_round_trip import Params as StateRoundTrip
from verify.gates.switches import Params as Switches
from verify.gates.tensor_trace import Params as TensorTrace
from verify.gates.test_set import Params as TestSet
from verify.gates.two_slot_switch import Params as TwoSlotSwitch
from verify.gates.warm_behind_cold import Params as WarmBehindCold
from verify.gates.warnings import Params as Warnings
from verify.model.block import Block, Disposition, Fold, Person, Switch
from verify.model.diagnostic import Place
from verify.model.evidence import AbiNeed, Arm, BuildNeed, Need, ProbeNeed
from verify.model.gate import GateDecl
from verify.model.ids import (
    BlobId,
    BlockName,
    CommitId,
    ConfigName,
    FoldId,
    GateName,
    ModelName,
    ReleaseName,
    RepoPath,
    Sha256,
    TreeId,
)
from verify.model.observation import (
    AbiObservation,
    Answer,
    ArmObservation,
    Artifact,
    BuildObservation,
    CompilerMessage,
    LibraryChange,
    LoadedFile,
    MarkCount,
    ProbeObservation,
    RunObservation,
    TokenChoice,
)
from verify.model.patch import Action, FileChange, Hunk, Mode, Patch
from verify.model.release import (
    Base,
    BlobState,
    Configuration,
    FolderSource,
    GeneratedModel,
    Lock,
    LockedFile,
    LockedFold,
    Proof,
    Reference,
    Release,
)
from verify.model.session import (
    CheckpointResumeSettings,
    Mark,
    TokenSettings,
    WarmBehindColdSettings,
    read_settings,
)
from verify.model.stack import Layer, Stack
from verify.model.test_set import Runner

QUEUE, CACHE = BlockName("queue"), BlockName("cache")
RELEASE_CONFIG = ConfigName("release")
MODEL = ModelName("tiny")
QUEUE_FILE, CACHE_FILE = RepoPath(b"src/queue.cpp"), RepoPath(b"src/cache.cpp")
BASE_PATHS = (RepoPath(b"README.md"), RepoPath(b"src/cache.cpp"), RepoPath(b"src/queue.cpp"))


def oid(text: str) -> str:
    """A full object id that stands for `text`."""
    return sha256(text.encode()).hexdigest()[:40]


DOCUMENTS = {
    "README.md": "# Good\n",
    "WORKLOG.md": "# Worklog\n\n## 261130.001 The first entry\nWhy.\n",
}
BASE, AFTER_QUEUE, AFTER_CACHE = (TreeId(oid(text)) for text in ("base", "after queue", "after cache"))
CACHE_ALONE = TreeId(oid("cache without queue"))


def change(path: RepoPath, *added: bytes, line: int = 4) -> FileChange:
    """A modification that adds lines between two context lines."""
    lines = ((b" ", b"before\n"), *((b"+", text) for text in added), (b" ", b"after\n"))
    hunk = Hunk(old_start=1, new_start=1, lines=lines, source_line=line)
    return FileChange(
        action=Action.MODIFY,
        old_path=path,
        new_path=path,
        old_mode=None,
        new_mode=None,
        hunks=(hunk,),
        binary=None,
        old_blob=None,
        new_blob=None,
        source_line=1,
    )


def reading(name: bytes) -> tuple[bytes, ...]:
    """Lines that read a switch for its value."""
    return b'const char * v = getenv("%s");\n' % name, b'const bool on = !v || strcmp(v, "0") != 0;\n'


def created(path: bytes, mode: Mode = Mode.FILE, *added: bytes) -> FileChange:
    """A new file."""
    return replace(
        change(RepoPath(path)),
        action=Action.CREATE,
        old_path=None,
        new_path=RepoPath(path),
        new_mode=mode,
        hunks=(
            Hunk(old_start=0, new_start=1, lines=tuple((b"+", text) for text in added or (b"new\n",)), source_line=5),
        ),
    )


def fold(block: str, identity: str, *changes: FileChange) -> Fold:
    """A fold of those changes; its patch bytes only have to be its own."""
    return Fold(
        id=FoldId(identity),
        subject=f"{block}: {identity}",
        body="",
        author=Person(name="A", email="a@example.org"),
        date="@1790000000 +0000",
        source="maintainers",
        disposition=Disposition.FOLDED,
        reason="",
        patch=Patch(files=changes),
        patch_bytes=repr(changes).encode(),
        patch_file=f"blocks/{block}/folds/{identity}/fold.patch",
    )


def block(name: BlockName, switch: str, *folds: Fold, gates: tuple[GateDecl, ...] = (), owns: str) -> Block:
    """A block with one switch."""
    return Block(
        name=name,
        title=name,
        why="because",
        until="upstream does it",
        owns=(owns,),
        requires=(),
        switches=(Switch(name=switch, off="0", about="turns it off"),),
        claims=(),
        gates=gates,
        folds=folds,
        file=f"blocks/{name}/block.yaml",
    )


def gate(name: str, kind: str, params: object, owner: BlockName | None = None, *, required: bool = True) -> GateDecl:
    """A declared gate."""
    return GateDecl(
        name=GateName(name), kind=kind, required=required, block=owner, params=params, place=Place(file="release.json")
    )


GATES = (
    gate("hygiene", "patch-hygiene", PatchHygiene()),
    gate("switches", "switches", Switches()),
    gate("builds", "build", Build()),
    gate("warnings", "warnings", Warnings()),
    gate("requirements", "requires", Requires()),
    gate("interfaces", "abi", Abi()),
    gate(
        "golden",
        "golden-tokens",
        GoldenTokens(model=MODEL, configuration=RELEASE_CONFIG, prompts=("once", "twice"), tokens=16, probabilities=2),
    ),
    gate("slot-files", "slot-files", SlotFiles(model=MODEL, configuration=RELEASE_CONFIG)),
    gate(
        "own-tests",
        "test-set",
        TestSet(runner=Runner.CTEST, configuration=RELEASE_CONFIG, minimum=2, may_bring=("new-*",)),
    ),
    gate(
        "configured",
        "config-dump",
        ConfigDump(
            model=MODEL,
            configuration=RELEASE_CONFIG,
            options=("GGML_OPENMP=ON",),
            features=("CPU.AVX2=1", "CPU.AVX512="),
            properties=("total_slots=1",),
            may_differ=("option:GGML_NEW*",),
        ),
    ),
    gate(
        "says-help",
        "command",
        Command(
            configuration=RELEASE_CONFIG,
            command=("llama-server", "--help"),
            lines=("1: --model", "2+: usage"),
            same_output=True,
        ),
    ),
    gate("logits", "logits", Logits(model=MODEL, configuration=RELEASE_CONFIG, prompts=("once", "twice"))),
    gate(
        "widths",
        "axis-uniformity",
        AxisUniformity(model=MODEL, configuration=RELEASE_CONFIG, axis=Axis.WIDTH, values=(2, 4)),
    ),
    gate(
        "repeats", "repeat-determinism", RepeatDeterminism(model=MODEL, configuration=RELEASE_CONFIG, prompts=("once",))
    ),
    gate("states", "state-round-trip", StateRoundTrip(model=MODEL, configuration=RELEASE_CONFIG)),
    gate("memory", "memory-budget", MemoryBudget(model=MODEL, configuration=RELEASE_CONFIG)),
    gate("server", "server-memory", ServerMemory(model=MODEL, configuration=RELEASE_CONFIG)),
    gate("operations", "tensor-trace", TensorTrace(model=MODEL, configuration=RELEASE_CONFIG)),
    gate("counts", "performance", Performance(model=MODEL, configuration=RELEASE_CONFIG)),
    gate("speed", "relative-performance", RelativePerformance(model=MODEL, configuration=RELEASE_CONFIG)),
    gate("kld", "kld", Kld(model=MODEL, configuration=RELEASE_CONFIG, wrong_term="epsilon=float:1")),
)
QUEUE_GATES = (
    gate(
        "queue-test",
        "fails-before",
        FailsBefore(test="counts-slots", runner=Runner.CTEST, switch="QUEUE", configuration=RELEASE_CONFIG),
        QUEUE,
    ),
    gate(
        "queue-log",
        "log-invariant",
        LogInvariant(
            switch="QUEUE",
            line="rotated",
            exercise=Exercise.WARM_BEHIND_COLD,
            model=MODEL,
            configuration=RELEASE_CONFIG,
            on_max=1,
        ),
        QUEUE,
    ),
    gate(
        "queue-arm",
        "arm-identity",
        ArmIdentity(
            switch="QUEUE",
            model=MODEL,
            configuration=RELEASE_CONFIG,
            prompts=("once",),
            exercise=Exercise.WARM_BEHIND_COLD,
            seen="rotated",
            tokens=16,
        ),
        QUEUE,
    ),
    gate(
        "queue-fair",
        "warm-behind-cold",
        WarmBehindCold(switch="QUEUE", model=MODEL, configuration=RELEASE_CONFIG, seen="rotated", rounds=5),
        QUEUE,
    ),
)
CACHE_GATES = (
    gate(
        "cache-resume",
        "checkpoint-resume",
        CheckpointResume(
            switch="CACHE", model=MODEL, configuration=RELEASE_CONFIG, kept="keeping", superseded="superseding"
        ),
        CACHE,
    ),
    gate(
        "cache-turns",
        "two-slot-switch",
        TwoSlotSwitch(
            switch="CACHE", model=MODEL, configuration=RELEASE_CONFIG, kept="kept", moved="moved", rounds=5, turns=2
        ),
        CACHE,
    ),
    gate(
        "cache-slot-files",
        "slot-files",
        SlotFiles(switch="CACHE", model=MODEL, configuration=RELEASE_CONFIG, moved_difference=0.01),
        CACHE,
    ),
    gate(
        "cache-widths",
        "axis-uniformity",
        AxisUniformity(
            model=MODEL,
            configuration=RELEASE_CONFIG,
            axis=Axis.WIDTH,
            values=(2, 3),
            switch="CACHE",
            off_differs=True,
        ),
        CACHE,
    ),
    gate(
        "cache-threads",
        "axis-uniformity",
        AxisUniformity(
            model=MODEL,
            configuration=RELEASE_CONFIG,
            axis=Axis.WIDTH,
            values=(2, 3),
            threads=2,
            switch="CACHE",
            off_differs=True,
            keeps=True,
        ),
        CACHE,
    ),
)


def state(text: str) -> BlobState:
    """A blob that stands for `text`."""
    return BlobState(blob=BlobId(oid(text)), mode=Mode.FILE)


def layer(owner: BlockName, identity: str, before: TreeId, after: TreeId, path: RepoPath) -> Layer:
    """One fold's step that changes one file."""
    return Layer(
        block=owner,
        fold=FoldId(identity),
        before=before,
        after=after,
        commit=CommitId(oid(f"commit {identity}")),
        files=(LockedFile(path=path, before=state(f"{identity} before"), after=state(f"{identity} after")),),
    )


def good_release() -> Release:
    """The declared release; its lock and reference are those of `good_stack`."""
    queue = block(QUEUE, "QUEUE", fold("queue", "rotate", change(QUEUE_FILE, *reading(b"QUEUE"))), owns="src/queue.cpp")
    cache = block(CACHE, "CACHE", fold("cache", "keep", change(CACHE_FILE, *reading(b"CACHE"))), owns="src/cache.cpp")
    blocks = (replace(queue, gates=QUEUE_GATES), replace(cache, gates=CACHE_GATES, requires=(QUEUE,)))
    stack = good_stack()
    folds = {(owner.name, each.id): each for owner in blocks for each in owner.folds}
    lock = Lock(
        folds=tuple(
            LockedFold(
                block=each.block,
                fold=each.fold,
                patch_sha256=Sha256(sha256(folds[each.block, each.fold].patch_bytes).hexdigest()),
                files=each.files,
                tree=each.after,
                commit=each.commit,
            )
            for each in stack.layers
        )
    )
    return Release(
        name=ReleaseName("good-1"),
        parent=None,
        engine="mini",
        base=Base(source=FolderSource(path="engine"), upstream_commit=None),
        blocks=blocks,
        configurations=(
            Configuration(
                name=RELEASE_CONFIG,
                build_type="Release",
                options=(),
                targets=("llama-server",),
                proofs=(Proof.PREFIX, Proof.ALONE, Proof.TIP),
            ),
        ),
        models=(GeneratedModel(name=MODEL, generator="llama", sha256=Sha256("0" * 64), licence="MIT"),),
        gates=GATES,
        reference=Reference(base_tree=BASE, tip_tree=stack.tip_tree(), tip_commit=stack.tip_commit()),
        lock=lock,
        digest=Sha256("1" * 64),
    )


def good_stack() -> Stack:
    """Two layers on the base."""
    return Stack(
        base_tree=BASE,
        base_commit=CommitId(oid("base commit")),
        layers=(
            layer(QUEUE, "rotate", BASE, AFTER_QUEUE, QUEUE_FILE),
            layer(CACHE, "keep", AFTER_QUEUE, AFTER_CACHE, CACHE_FILE),
        ),
    )


def good_build(tree: TreeId) -> BuildObservation:
    """A build without errors and with one warning of upstream's own."""
    return BuildObservation(
        ok=True,
        failed_step="",
        errors=(),
        warnings=(CompilerMessage(file="src/old.cpp", line=7, text="unused variable", flag="-Wunused"),),
        steps=12,
        compiled=3,
        cache_hits=9,
        cpu_seconds=1.0,
        wall_seconds=0.6,
        peak_kib=1000,
        artifacts=(Artifact(name="llama-server", sha256=built_digest(tree), size=10),),
        log="logs/build.log",
        tail=(),
    )


def good_abi() -> AbiObservation:
    """One library to which something was added."""
    library = LibraryChange(library="libmini.so", changed=True, incompatible=False, report=("1 Added function",))
    return AbiObservation(tool="abidiff 2", libraries=(library,), seconds=0.1)


def expected_build(tree: TreeId) -> BuildObservation:
    """As the good release needs it: a block without what it requires does not build."""
    return failed_build(good_build(tree)) if tree == CACHE_ALONE else good_build(tree)


def failed_build(build: BuildObservation) -> BuildObservation:
    """It stopped at an error."""
    error = CompilerMessage(file="src/queue.cpp", line=12, text="'slot' was not declared", flag="")
    return replace(build, ok=False, failed_step="queue.cpp.o", errors=(error,), artifacts=())


def built_digest(tree: TreeId) -> Sha256:
    """What the program built of `tree` hashes to."""
    return Sha256(sha256(f"program of {tree}".encode()).hexdigest())


def good_run(need: ProbeNeed) -> ProbeObservation:
    """What a well-behaved engine shows for a need."""
    match need.probe:
        case "tokens":
            return _tokens(need, read_settings(TokenSettings, need.settings))
        case "warm-behind-cold":
            return _warm_behind_cold(need, read_settings(WarmBehindColdSettings, need.settings))
        case "checkpoint-resume":
            return _checkpoint_resume(need, read_settings(CheckpointResumeSettings, need.settings))
    from tests.gates.good_probes import RUNS  # they are made of what is made here

    return RUNS[need.probe](need)


def answer(
    request: str, number: int, tokens: int, *, candidates: int = 0, seconds: float = 0.1, waited: int = 0
) -> Answer:
    """An answer whose token ids depend on the request and round alone; its first token comes after `seconds`."""
    ids = tuple((len(request) * 31 + number * 17 + at * 7) % 97 for at in range(tokens))
    return Answer(
        request=request,
        round=number,
        generated=tokens,
        ids=ids,
        text=" ".join(map(str, ids)),
        candidates=tuple(
            tuple(TokenChoice(id=each + rank, logprob=-0.5 - rank) for rank in range(candidates)) for each in ids
        ),
        prompt_tokens=10,
        cached_tokens=0,
        batches=1,
        waited_batches=waited,
        first_token_seconds=seconds,
        first_token_cpu_seconds=seconds,
        prompt_seconds=seconds,
        seconds=seconds + 0.1,
    )


def arm_run(arm: Arm, answers: tuple[Answer, ...], marks: tuple[MarkCount, ...]) -> ArmObservation:
    """One arm that ran on its own build."""
    return ArmObservation(
        arm=arm.name,
        answers=answers,
        marks=marks,
        loaded=(
            LoadedFile(name="llama-server", sha256=built_digest(arm.build.tree), built=True),
            LoadedFile(name="/lib/libc.so.6", sha256=Sha256("2" * 64), built=False),
        ),
        command=("-t", "1"),
        peak_kib=1000,
        start_seconds=0.1,
    )


def _lines(mark: Mark, count: int) -> int:
    """How often a mark is seen: lines of any kind are there always."""
    return 9 if mark.name == "any" else count


def _tokens(need: ProbeNeed, asked: TokenSettings) -> RunObservation:
    arms = tuple(
        arm_run(
            arm,
            tuple(
                answer(f"prompt-{index}", 0, asked.tokens, candidates=asked.probabilities)
                for index in range(len(asked.prompts))
            ),
            tuple(
                MarkCount(name=mark.name, round=0, count=_lines(mark, int(arm.name == "on"))) for mark in asked.marks
            ),
        )
        for arm in need.arms
    )
    return RunObservation(arms=arms, rounds=1, seconds=1.0)


def _warm_behind_cold(need: ProbeNeed, asked: WarmBehindColdSettings) -> RunObservation:
    def round_of(arm: Arm, number: int) -> tuple[Answer, ...]:
        sooner = arm.name == "on" and not asked.server.unified
        jitter = 1 + 0.001 * number
        warm, waited = (0.02, 1) if sooner else (0.5, 11)
        return (
            answer("history", number, 1),
            answer("cold", number, asked.generate, seconds=0.6 * jitter),
            answer("warm", number, asked.generate, seconds=warm * jitter, waited=waited),
        )

    def marks_of(arm: Arm, number: int) -> tuple[MarkCount, ...]:
        seen = int(arm.name == "on" and not asked.server.unified)
        return tuple(MarkCount(name=mark.name, round=number, count=_lines(mark, seen)) for mark in asked.marks)

    return _session(need, asked.rounds.least, round_of, marks_of)


def _checkpoint_resume(need: ProbeNeed, asked: CheckpointResumeSettings) -> RunObservation:
    def round_of(arm: Arm, number: int) -> tuple[Answer, ...]:
        time = (0.03 if arm.name == "on" else 0.05) * (1 + 0.001 * number)
        return (
            answer("first", number, asked.generate),
            *(answer(f"resume-{index}", number, asked.generate, seconds=time) for index in range(asked.resumes)),
        )

    def marks_of(arm: Arm, number: int) -> tuple[MarkCount, ...]:
        counts = {"kept": 3, "superseded": 0} if arm.name == "on" else {"kept": 0, "superseded": 3}
        return tuple(
            MarkCount(name=mark.name, round=number, count=_lines(mark, counts.get(mark.name, 0)))
            for mark in asked.marks
        )

    return _session(need, asked.rounds.least, round_of, marks_of)


def _session(
    need: ProbeNeed,
    rounds: int,
    round_of: Callable[[Arm, int], tuple[Answer, ...]],
    marks_of: Callable[[Arm, int], tuple[MarkCount, ...]],
) -> RunObservation:
    arms = tuple(
        arm_run(
            arm,
            tuple(each for number in range(rounds) for each in round_of(arm, number)),
            tuple(mark for number in range(rounds) for mark in marks_of(arm, number)),
        )
        for arm in need.arms
    )
    return RunObservation(arms=arms, rounds=rounds, seconds=1.0)


def bare_case(release: Release) -> Case:
    """The derived trees, and nothing measured."""
    stack = good_stack()
    return Case(
        release=release,
        base_tree=BASE,
        base_paths=BASE_PATHS,
        stack=stack,
        rederived=Rederived(trees=tuple(each.after for each in stack.layers)),
        line_counts=line_counts(release, stack),
        documents=DOCUMENTS,
        alone=good_alone(),
    )


def good_alone() -> tuple[AloneTree, ...]:
    """The first block is its prefix; the second requires the first, and has another tree without it."""
    return (
        alone_tree(QUEUE, None, (), AFTER_QUEUE),
        alone_tree(CACHE, None, (QUEUE,), AFTER_CACHE),
        alone_tree(CACHE, QUEUE, (), CACHE_ALONE),
    )


def alone_tree(block: BlockName, without: BlockName | None, below: tuple[BlockName, ...], tree: TreeId) -> AloneTree:
    """A block's own tree, in which no line is followed."""
    traced = Trace(files={}, removed=(), broken=())
    return AloneTree(block=block, without=without, below=below, textual=(), tree=tree, trace=traced)


def line_counts(release: Release, stack: Stack) -> dict[BlobId, int]:
    """Both files have two lines, and as many more at the tip as their fold adds."""
    found: dict[BlobId, int] = {}
    for each in stack.layers:
        owner = next(owner for owner in release.blocks if owner.name == each.block)
        signs = [
            sign for one in owner.folds for file in one.patch.files for hunk in file.hunks for sign, _ in hunk.lines
        ]
        for file in each.files:
            if file.before is not None and file.after is not None:
                found |= {file.before.blob: 2, file.after.blob: 2 + signs.count(b"+")}
    return found


def measured(case: Case, run: Callable[[ProbeNeed], ProbeObservation] = good_run) -> Case:
    """The case with every need of its gates met: builds as `good_build`, probes as `run` gives them."""
    needs: dict[Need, None] = {}
    for each in gates_of(case.release):
        needs.update(dict.fromkeys(KINDS[each.kind].needs(each.params, case.of(each))))
    probes = [need for need in needs if isinstance(need, ProbeNeed)]
    builds = [need for need in needs if isinstance(need, BuildNeed)]
    builds += [arm.build for need in probes for arm in need.arms]
    compared = [need for need in needs if isinstance(need, AbiNeed)]
    return replace(
        case,
        builds={need: Recorded(key=key_of(need), observation=expected_build(need.tree)) for need in builds},
        probes={need: Recorded(key=key_of(need), observation=run(need)) for need in probes},
        abi={need: Recorded(key=key_of(need), observation=good_abi()) for need in compared},
    )


def key_of(need: Need) -> Sha256:
    """Some key that is the need's own."""
    return make_key("test", {"need": repr(need)}).digest


def good_case() -> Case:
    """Everything declared, derived and measured, and all of it good."""
    return measured(bare_case(good_release()))


def probe_of(case: Case, gate_name: str, at: int = 0) -> ProbeNeed:
    """One of the sessions that a gate asks for."""
    decl = next(each for each in gates_of(case.release) if each.name == gate_name)
    need = KINDS[decl.kind].needs(decl.params, case.of(decl))[at]
    assert isinstance(need, ProbeNeed)
    return need


def with_probe(case: Case, gate_name: str, edit: Callable[[RunObservation], RunObservation], at: int = 0) -> Case:
    """The case with one session of a gate changed."""
    need = probe_of(case, gate_name, at)
    edited = replace(case.probes[need], observation=edit(case.seen(need, RunObservation)))
    return replace(case, probes={**case.probes, need: edited})


def with_build(case: Case, tree: TreeId, edit: Callable[[BuildObservation], BuildObservation]) -> Case:
    """The case with the build of one tree changed."""
    builds = {
        need: replace(each, observation=edit(each.observation)) if need.tree == tree else each
        for need, each in case.builds.items()
    }
    return replace(case, builds=builds)


def edit_arm(name: str, edit: Callable[[ArmObservation], ArmObservation]) -> Callable[[RunObservation], RunObservation]:
    """Change one arm of a session."""

    def edited(run: RunObservation) -> RunObservation:
        return replace(run, arms=tuple(edit(arm) if arm.arm == name else arm for arm in run.arms))

    return edited


def edit_answers(
    name: str, edit: Callable[[Answer], Answer], request: str | None = None
) -> Callable[[RunObservation], RunObservation]:
    """Change the answers of one arm: all, or those to one request."""
    return edit_arm(
        name,
        lambda arm: replace(
            arm,
            answers=tuple(edit(each) if request in (None, each.request) else each for each in arm.answers),
        ),
    )


def marked(name: str, counts: Mapping[str, int]) -> Callable[[RunObservation], RunObservation]:
    """Set how often marks were seen on one arm, in every round."""
    return edit_arm(
        name,
        lambda arm: replace(
            arm, marks=tuple(replace(mark, count=counts.get(mark.name, mark.count)) for mark in arm.marks)
        ),
    )

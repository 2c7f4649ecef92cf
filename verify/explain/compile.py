"""What each code of toolchains, builds and model files means."""

EXPLANATIONS: dict[str, str] = {
    "abidiff-failed": (
        "libabigail's abidiff could not read or compare two libraries. Nothing is said of their interfaces, and "
        "the gate that asked is undecided. The help line runs the very comparison."
    ),
    "abidiff-missing": (
        "Binary interfaces are compared by libabigail's abidiff, which is not installed. The gate that asked is "
        "undecided, never passed. Install `abigail-tools` on Debian and Ubuntu, `libabigail` on Fedora."
    ),
    "build-damaged": (
        "What is kept of a build is not what was built: a file is missing, has other bytes, or its record is broken. "
        "It is never used; the build is made again under the same key. Where it happens twice, look at the disk and at "
        "who else writes to the cache."
    ),
    "kept-build-differs": (
        "Two fresh builds in two folders gave the same bytes, and the build that is kept has others. It was made with "
        "the compiler cache: an object there, or the lane, was not what it should be. `stackproof build --fresh` makes "
        "it again; empty the compiler cache if it comes back."
    ),
    "build-killed": (
        "The build tool was ended by a signal: by another program, or by the system when memory ran out. "
        "What was half built says nothing about the tree, so nothing is recorded and nothing that was kept is lost. "
        "Run the same command again; the compiler cache has what was finished."
    ),
    "build-log-endless": (
        "The build printed more than any build has to say, and was ended before it could fill the disk. "
        "Nothing is recorded of it. The whole log is in the cache under `logs/`; its last lines show what prints."
    ),
    "build-name-clash": (
        "Everything that a configuration builds is kept in one folder, so that programs find their libraries there. "
        "Two of its targets make files of one name, and one would silently stand for the other. "
        "Build them in two configurations, each with its own `targets`."
    ),
    "build-timed-out": (
        "The build took longer than it may take and was ended with every process that it had started. "
        "That may be a build step that waits for something, or a machine that is too busy. "
        "Nothing is recorded of it; the compiler cache has what was finished."
    ),
    "compiler-broken": (
        "A compiler of the expected name is there, and it does not tell its version, or a tiny program that it "
        "compiles is not there or does not run. A build with it would fail for no fault of the tree, or seem to go "
        "well. The notes hold what it said: unset CC and CXX where they name it, else reinstall it."
    ),
    "compiler-silent": (
        "A compiler or a build tool was asked for its version or a tiny program and did not answer in half a minute; "
        "it was ended. Nothing was built. Where CC or CXX name the compiler, unset them; else run the command of the "
        "message by hand and see what it waits for."
    ),
    "compiler-killed": (
        "The compiler was ended by the system, or could not get the memory it asked for. That is no property of the "
        "tree, so the build is not recorded as failed. Large files of llama.cpp need up to 1.2 GiB each: run the "
        "command again with fewer jobs at once."
    ),
    "compiler-missing": (
        "The engine is C and C++ and is built by the compiler of your system, which is not installed or not on PATH. "
        "Nothing was built; what does not need a compiler (`stackproof check`) works without. "
        "Install it: `build-essential` on Debian and Ubuntu, `gcc-c++` on Fedora, the command line tools on macOS. "
        "CC and CXX choose another one."
    ),
    "executor-missing": (
        "`--executor` sends builds to a Dask cluster, and Dask's `distributed` is an optional extra that is not "
        "installed. Without --executor everything is built here."
    ),
    "executor-unreachable": (
        "Nothing answers at the address that `--executor` names. Start a scheduler and workers, or leave the option "
        "out. Nothing was built."
    ),
    "job-ended": (
        "A build that was sent to a worker did not come to its end: it was cancelled, its worker was lost too often, "
        "or what came back was damaged. That says nothing about the tree and nothing is recorded. Run the same "
        "command again; what other jobs finished is remembered."
    ),
    "lane-disturbed": (
        "While a tree was built, files of it were changed in the folder it is built in: by hand, by another program, "
        "or by the build itself. What came out is then not the build of that tree, and it is thrown away. "
        "If the engine's own build rewrites its sources, it cannot be proven this way: the notes name the first file."
    ),
    "model-differs": (
        "The model file that was unpacked or generated does not have the SHA-256 that release.json pins. The package "
        "itself is the pinned one, so the two pins do not belong together, or the generator's own packages have "
        "another "
        "version. No measurement is made on a model that is not the pinned one."
    ),
    "model-generator-missing": (
        "Tiny models are written by a generator that needs the packages `numpy` and `gguf`, which are in the extra "
        "`engine`. Gates on such a model stay undecided until they are installed."
    ),
    "model-generator-unknown": (
        "release.json pins a generated model by the name of its generator, and there is none of that name. "
        "The notes list those that there are."
    ),
    "model-member-missing": (
        "The wheel that release.json pins for a model does not hold the file that it names as `member`. "
        "The wheel has its pinned SHA-256, so it is the name that is wrong."
    ),
    "model-vocabulary-missing": (
        "Generated models take their tokens from a vocabulary file in the engine's base tree, and this base has none. "
        "Engines without it need models of kind `package`."
    ),
    "model-wheel-broken": (
        "The wheel of a model has the SHA-256 that release.json pins and still cannot be unpacked: the pin was "
        "taken from "
        "a damaged download. Pin another version, or the digest of a sound file."
    ),
    "option-reserved": (
        "A configuration sets a CMake option that chooses the compiler or the build tool. These are found on "
        "the machine, "
        "and what was found is part of every build's key: an option beside it would build with something that no key "
        "names. Remove it, and let CC and CXX choose the compiler."
    ),
    "lane-damaged": (
        "Files in a warm lane were not what its last build had left there: the notes name them. The lane was emptied "
        "and the build began anew, so its outcome holds. If nobody touched that folder, look at the disk."
    ),
    "warm-differs": (
        "A build that went on from another tree's build folder gave other bytes than one in an empty folder. Something "
        "that goes into the named file is not known to the build tool as an input of it, so a change to it is missed. "
        "Fresh lanes, from which all evidence comes, are not affected."
    ),
    "not-reproducible": (
        "The same tree, configuration and tools gave other bytes in another folder. Then nobody else can check that a "
        "binary is what its source says, and equal trees look different. The notes tell what can be read off: a path, "
        "a date, a time, the sources whose objects differ. Take it out of what is compiled."
    ),
    "tool-broken": (
        "A build tool from this Python environment does not run. The notes hold the command and what it said. "
        "Reinstalling its package usually helps; a wheel for another system does not run here."
    ),
    "tool-missing": (
        "CMake, Ninja and ccache come as Python packages with stackproof's own requirements, and one of them is "
        "neither in "
        "this environment nor on PATH. The environment was made without them or has lost them; the help line "
        "installs it."
    ),
    "tree-path-clash": (
        "Two paths of the tree differ only in letters that this file system takes for equal, such as upper and lower "
        "case, so one file would overwrite the other. Keep the cache on a case-sensitive volume."
    ),
    "tree-path-unsafe": (
        "The tree holds a path that, when it is written to disk, would leave its folder or reach into a repository. "
        "Patches with such paths are refused earlier; here the base itself has one, and no honest source does."
    ),
    "worker-other-tools": (
        "A build's key names the tools that made it. This worker has others than the machine that asks, so what "
        "it builds would be no evidence for what was asked. Install the same packages on every worker."
    ),
}

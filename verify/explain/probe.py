"""What each code of running a built engine means."""

EXPLANATIONS: dict[str, str] = {
    "system-unsupported": (
        "What a process has loaded and which port it listens on are read from /proc, so that nothing else can be "
        "measured by mistake. This system has none, so nothing is run. Files and trees are checked everywhere."
    ),
    "program-missing": (
        "The build has no program of that name, so it cannot be run. The configuration's `targets` in release.json "
        "decide what is built; add the program there."
    ),
    "model-missing": (
        "A model file cannot be read. Models are fetched or generated into the cache by their pins; run the command "
        "again with the network allowed, or put the file back."
    ),
    "model-damaged": (
        "A model file has another SHA-256 than its pin. It may be cut off or another version: figures on it would be "
        "another model's. Remove the file, and it is fetched or made anew."
    ),
    "arm-environment": (
        "An arm sets a variable such as LD_PRELOAD or PATH, which decides what program is run and not how it behaves. "
        "A switch must be a variable of the engine's own."
    ),
    "server-not-starting": (
        "The engine's server ended before it was ready, or was not ready in time. Its last lines and its whole log are "
        "named. A bad option, a model it cannot load and a crash at start all look like this."
    ),
    "server-silent": (
        "The server accepted a request and did not finish the answer in time, so it was ended. A deadlock looks like "
        "this, and so does a machine that is far too busy."
    ),
    "server-died": (
        "The server ended by itself while it was needed: a crash, an assertion, or an exit. The signal or status and "
        "the last lines are shown."
    ),
    "server-killed": (
        "The server was killed from outside, by a person or by the system for want of memory. This says nothing about "
        "the engine; run again with more memory free."
    ),
    "answer-broken": (
        "What the server sent is not an answer by its own protocol: a stream without its end, an event that is not "
        "JSON, numbers that are none."
    ),
    "answer-refused": (
        "The server answered a request with an error. The request is within its limits by the probe's own settings, so "
        "the engine refuses what it should do."
    ),
    "arm-broken": (
        "The first arm served under the very same settings and this one broke down. So the engine that was built for "
        "this arm is at fault, and the gate fails. Such a failure is never stored: the next run measures again."
    ),
    "foreign-library": (
        "The process under measurement had loaded a program or library that is not the one of its build: another file "
        "of that name, a changed one, or one from a place that is neither the build's nor the system's. Everything "
        "measured would be another engine's, so the session is thrown away."
    ),
}

"""What each code of the gates on a build's own words and on commands means."""

EXPLANATIONS: dict[str, str] = {
    "option-not-taken": (
        "An option that the configuration or the gate declares is not in the build's CMake cache, or with another "
        "value. It was misspelt, upstream has renamed it, or another option overrides it."
    ),
    "feature-not-built": (
        "The running engine does not say that it was built with a feature that the gate names, or says that it has one "
        "that must not be there. Other gates would then judge another engine than the one that is released."
    ),
    "property-differs": "The server says another value of a property than the gate declares.",
    "configuration-differs": (
        "An option, feature or property of the tip is another than upstream's at the same base, though both were asked "
        "for with the same options: a block changes how the engine is configured. Where it is meant, name it in "
        "`may_differ`."
    ),
    "command-status": "The declared command ended with another exit status, or by a signal (a negative number).",
    "command-silent": "The declared command printed nothing, so there is nothing that could be judged.",
    "command-lines": "The declared command printed another number of matching lines than the gate asks for.",
    "command-output-differs": (
        "The declared command prints something else than upstream's at the same base. Run it on both builds and look "
        "at the difference; what is meant to differ is an accepted deviation, or asked for by `lines` instead."
    ),
}

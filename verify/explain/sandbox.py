"""What each code of confined programs means."""

EXPLANATIONS: dict[str, str] = {
    "sandbox-seconds": (
        "A program under test, or a build, had not ended when its time was over, so it was ended with all that it had "
        "started. It says nothing about the tree; a program that waits for something that never comes looks like this."
    ),
    "sandbox-memory": (
        "A program and its processes together took more memory than they may, so they were ended before the machine "
        "ran out of it. What they share with files does not count."
    ),
    "sandbox-processes": (
        "A program had more processes at once than it may, so all of them were ended. One that starts itself again and "
        "again looks like this."
    ),
    "sandbox-outside": (
        "A program wanted to reach another machine. It runs in a network of its own that has nothing but loopback, so "
        "nothing was sent. A build that fetches something is no build of its tree, and an engine that reports "
        "somewhere should be known for it."
    ),
    "sandbox-left": (
        "A program had ended and processes that it had started were still there. They were ended. A test that leaves a "
        "server behind looks like this."
    ),
}

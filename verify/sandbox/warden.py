"""The process between us and a confined program: it makes the room, watches the bounds, and ends all that is left.

Run by file, with the interpreter alone: `warden.py HOUSE`, an inherited Unix socket. For each message on it, a byte
with five descriptors (the program's three streams, CONTROL, EVENTS), a warden is forked, which costs far less than a
process of its own would. It reads one line of JSON from CONTROL (a Unix socket), makes namespaces where the system lets
it, and starts the program under an init of its own, so that every descendant stays within reach whatever it does. Then
it answers CONTROL (`dial PORT` gives a connection from within, `signal N` is for the program) and tells EVENTS, in
lines of JSON, that the program runs, and at last how it ended. When CONTROL closes, because our process let go of it or
died, everything is ended at once. When the warden itself is killed, the kernel ends the init, and with it, in a
namespace of its own, all the others.

It imports nothing of ours, and stands on its own.
"""

import contextlib
import ctypes
import errno
import fcntl
import json
import os
import resource
import select
import signal
import socket
import struct
import sys
import time
from pathlib import Path
from typing import Any, NoReturn

_NEW_USER, _NEW_NET, _NEW_PID, _NEW_IPC = 0x10000000, 0x40000000, 0x20000000, 0x08000000
_PDEATHSIG, _SUBREAPER = 1, 36
_GET_FLAGS, _SET_FLAGS, _IS_UP = 0x8913, 0x8914, 0x1
_TICK = 0.2
_LINUX = sys.platform == "linux"
_LIBC = ctypes.CDLL(None, use_errno=True) if _LINUX else None


def main() -> None:
    """Fork a warden for every message, until nobody can send one any more."""
    house = socket.socket(fileno=int(sys.argv[1]))
    ways = {network: _way(network=network) for network in (False, True)}
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # wardens are nobody's to wait for
    while True:
        said, descriptors, _, _ = socket.recv_fds(house, 1, 5)
        if not said:
            return
        if os.fork() == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            house.close()
            for stream in range(3):
                os.dup2(descriptors[stream], stream)
                os.close(descriptors[stream])
            _hold(socket.socket(fileno=descriptors[3]), descriptors[4], ways)
            os._exit(0)
        for descriptor in descriptors:
            os.close(descriptor)


def _hold(control: socket.socket, events: int, ways: dict[bool, tuple[int, dict[str, str]]]) -> None:
    """Hold one program until it has ended."""
    os.setsid()
    asked = json.loads(_line(control))
    flags, room = ways[asked["network"]]
    if flags:
        _unshare(flags)
    go_out, go_in = os.pipe()
    said_out, said_in = os.pipe()
    _prctl(_SUBREAPER, 1)
    init = os.fork()
    if init == 0:
        for descriptor in (go_in, said_out, events, control.detach()):
            os.close(descriptor)
        _be_init(asked, go_out, said_in)
    os.close(go_out)
    os.close(said_in)
    _let_go_of_streams()
    _Watch(asked, room, control, events, init, go_in, said_out).run()


def _line(control: socket.socket) -> bytes:
    text = bytearray()
    while not text.endswith(b"\n"):
        part = control.recv(1 << 16)
        if not part:
            os._exit(1)
        text += part
    return bytes(text)


class _Watch:
    """Follows one program to its end."""

    def __init__(
        self,
        asked: dict[str, Any],
        room: dict[str, str],
        control: socket.socket,
        events: int,
        init: int,
        go: int,
        said: int,
    ) -> None:
        self._asked, self._room, self._control, self._events = asked, room, control, events
        self._init, self._go, self._said = init, go, said
        self._program = 0
        self._pending = b""
        self._breach: dict[str, object] | None = None
        self._deadline = time.monotonic() + asked["seconds"]
        self._no_routes = _no_routes()

    def run(self) -> None:
        ended = None
        while ended is None:
            left = max(0.0, min(_TICK, self._deadline - time.monotonic()))
            ready = select.select([self._control.fileno(), self._said], [], [], left)[0]
            if self._control.fileno() in ready and not self._answer():
                break
            if self._said in ready:
                ended = self._hear()
            if ended is None and self._program and self._breach is None:
                self._look()
        names = [name for pid, name in _named(_descendants(os.getpid())) if pid not in (self._init, self._program)]
        _end_all(keep=0)
        if ended is not None:
            outside = 0 if self._room["network"] else max(0, _no_routes() - self._no_routes)
            self._tell({**ended, "left": names, "outside": outside, "breach": self._breach})

    def _answer(self) -> bool:
        """One request of ours; false where nobody is there any more."""
        try:
            request = self._control.recv(256).split()
        except OSError:
            return False
        if not request:
            return False
        if request[0] == b"dial":
            self._dial(int(request[1]))
        elif request[0] == b"signal" and self._program:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._program, int(request[1]))
        return True

    def _dial(self, port: int) -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as made:
            made.settimeout(5)
            try:
                made.connect(("127.0.0.1", port))
            except OSError as error:
                self._control.sendall(b"%d" % (error.errno or errno.ETIMEDOUT))
                return
            made.settimeout(None)
            socket.send_fds(self._control, [b"0"], [made.fileno()])

    def _hear(self) -> dict[str, object] | None:
        """What the init said; how the program ended once it says so."""
        part = os.read(self._said, 1 << 12)
        *lines, self._pending = (self._pending + part).split(b"\n")
        for line in lines:
            word, *numbers = line.split()
            if word == b"forked":
                # it is the only child yet, and waits for us to have seen it
                self._program = next(iter(_children(self._init)), 0) or int(numbers[0])
                os.write(self._go, b"g")
            elif word == b"refused":
                self._tell({"refused": int(numbers[0])})
                os._exit(0)
            elif word == b"running":
                self._tell({"running": self._program, "warden": os.getpid(), **self._room})
            else:
                status, cpu, peak = numbers
                return {"ended": int(status), "cpu_seconds": float(cpu), "peak_kib": int(peak)}
        if not part:
            return {"ended": -signal.SIGKILL, "cpu_seconds": 0.0, "peak_kib": 0}
        return None

    def _look(self) -> None:
        """Whether a bound is broken; then everything but the init is ended, which says how."""
        pids = [pid for pid in _descendants(os.getpid()) if pid != self._init]
        met = {
            "seconds": (int(self._asked["seconds"]) if time.monotonic() >= self._deadline else 0),
            "memory": sum(map(_memory, pids)),
            "processes": len(pids),
        }
        allowed = {
            "seconds": self._asked["seconds"] - 1,
            **{name: self._asked[name] for name in ("memory", "processes")},
        }
        for name, amount in met.items():
            if amount > allowed[name]:
                self._breach = {"bound": name, "met": amount, "allowed": int(self._asked[name])}
                _end_all(keep=self._init)
                return

    def _tell(self, event: dict[str, object]) -> None:
        with contextlib.suppress(BrokenPipeError):
            os.write(self._events, json.dumps(event).encode() + b"\n")


def _be_init(asked: dict[str, Any], go: int, said: int) -> NoReturn:
    """Start the program, reap whatever comes to us, and say how the program ended."""
    _prctl(_PDEATHSIG, signal.SIGKILL)
    _prctl(_SUBREAPER, 1)
    result_out, result_in = os.pipe()
    program = os.fork()
    if program == 0:
        _become(asked, go, result_in)
    os.close(result_in)
    _let_go_of_streams()
    os.write(said, b"forked %d\n" % program)
    refused = os.read(result_out, 16)
    if refused:
        os.write(said, b"refused %s\n" % refused)
    else:
        os.write(said, b"running\n")
    while True:
        pid, status, usage = os.wait4(-1, 0)
        if pid == program:
            break
    cpu = usage.ru_utime + usage.ru_stime
    os.write(said, b"ended %d %f %d\n" % (os.waitstatus_to_exitcode(status), cpu, usage.ru_maxrss))
    while _LINUX or os.getppid() != 1:
        # the rest is reaped until the warden has seen what is left and ends us
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            time.sleep(0.01)
    os._exit(0)


def _become(asked: dict[str, Any], go: int, result: int) -> NoReturn:
    """What the program's process does before it is the program."""
    try:
        os.setsid()
        os.read(go, 1)
        _prctl(_PDEATHSIG, signal.SIGKILL)
        for number in (signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(number, signal.SIG_DFL)  # Python ignores these, and that would be handed on
        for name, most in asked["limits"].items():
            _limit(getattr(resource, name), most)
        os.umask(asked["umask"])
        os.chdir(asked["folder"])
        os.execvpe(asked["command"][0], asked["command"], asked["environment"])  # noqa: S606 - no shell is meant
    except OSError as error:
        os.write(result, b"%d" % (error.errno or errno.EINVAL))
    os._exit(127)


def _limit(what: int, most: int) -> None:
    hard = resource.getrlimit(what)[1]
    bound = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(what, (bound, bound))


def _let_go_of_streams() -> None:
    """The program's streams are its own: held open here, nobody would see their end."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)
    os.close(nowhere)


def _way(*, network: bool) -> tuple[int, dict[str, str]]:
    """The namespaces that can be had; for each thing that they do not forbid, why not."""
    asked_for = "it was asked for"
    if not _LINUX:
        why = "this system has no namespaces"
        return 0, {"network": asked_for if network else why, "processes": why}
    net = 0 if network else _NEW_NET
    ways = [_NEW_USER | net | _NEW_PID | _NEW_IPC, _NEW_USER | net]
    if os.geteuid() == 0:
        ways.append(net | _NEW_PID | _NEW_IPC)
    why = ""
    for flags in ways:
        refused = _tried(flags)
        if not refused:
            return flags, {"network": asked_for if network else "", "processes": "" if flags & _NEW_PID else why}
        why = why or refused
    return 0, {"network": asked_for if network else why, "processes": why}


def _tried(flags: int) -> str:
    """Why these namespaces cannot be had; tried in a process of its own, since half of them is worse than none."""
    out, into = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            _unshare(flags)
        except OSError as error:
            os.write(into, (error.strerror or "refused").encode())
        os._exit(0)
    os.close(into)
    why = os.read(out, 200).decode()
    os.close(out)
    os.waitpid(child, 0)
    return why


def _unshare(flags: int) -> None:
    assert _LIBC is not None
    uid, gid = os.geteuid(), os.getegid()
    if _LIBC.unshare(flags) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"namespaces: {os.strerror(number)}")
    if flags & _NEW_USER:
        for name, text in (("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"), ("gid_map", f"{gid} {gid} 1")):
            Path("/proc/self", name).write_text(text, encoding="ascii")
    if flags & _NEW_NET:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as made:
            answer = fcntl.ioctl(made, _GET_FLAGS, struct.pack("16sh14x", b"lo", 0))
            now = struct.unpack("16sh14x", answer)[1]
            fcntl.ioctl(made, _SET_FLAGS, struct.pack("16sh14x", b"lo", now | _IS_UP))


def _prctl(what: int, value: int) -> None:
    if _LIBC is not None:
        _LIBC.prctl(what, value, 0, 0, 0)


def _end_all(*, keep: int) -> None:
    """End every descendant but one, and see them gone."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        found = [pid for pid in _descendants(os.getpid()) if pid != keep]
        if not found:
            return
        for pid in found:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        time.sleep(0.002)


def _descendants(pid: int) -> list[int]:
    found, todo = [], [pid]
    while todo:
        children = _children(todo.pop())
        found += children
        todo += children
    return found


def _children(pid: int) -> list[int]:
    """Children; one that has ended counts until it is reaped."""
    found: list[int] = []
    with contextlib.suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            with contextlib.suppress(OSError):
                found += map(int, (task / "children").read_text(encoding="ascii").split())
    return found


def _named(pids: list[int]) -> list[tuple[int, str]]:
    """Those that have not ended, with their names."""
    found = []
    for pid in pids:
        with contextlib.suppress(OSError, IndexError):
            head, _, rest = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")
            if rest.split()[0] != "Z":
                found.append((pid, head.partition("(")[2]))
    return found


def _memory(pid: int) -> int:
    """Bytes in memory that stand for no file."""
    try:
        _, resident, shared, *_ = map(int, Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split())
    except (OSError, ValueError):
        return 0
    return (resident - shared) * resource.getpagesize()


def _no_routes() -> int:
    """How often somebody in this network wanted to go where no way leads."""
    count = 0
    with contextlib.suppress(OSError, ValueError):
        lines = Path("/proc/self/net/snmp").read_text(encoding="ascii").splitlines()
        heads, figures = (line.split() for line in lines if line.startswith("Ip:"))
        count += int(figures[heads.index("OutNoRoutes")])
    with contextlib.suppress(OSError, ValueError):
        for line in Path("/proc/self/net/snmp6").read_text(encoding="ascii").splitlines():
            count += int(line.split()[1]) if line.startswith("Ip6OutNoRoutes") else 0
    return count


if __name__ == "__main__":
    main()

"""One process ``headscope-cli serve`` and the messages to it (core/remote/PROTOCOL.md)."""

from __future__ import annotations

import json
import os
import queue
import select
import signal
import subprocess
import tempfile
import threading
import time
import weakref
from contextlib import contextmanager
from typing import IO, Any, Callable, Dict, Iterator, NamedTuple, Optional, Tuple, Union

from ._programs import ProgramError, environment, program

Json = Dict[str, Any]
_CANCELLED = -32800

_GREETING = 60.0  #: seconds in which the program says what it is
_QUIET = 30.0  #: seconds without a message after which it is asked whether it is there
_PATIENCE = 300.0  #: seconds without a message, or without taking one, after which it counts as gone
_LONGEST_LINE = 8192  #: of a message's head
_MOST_LINES = 100


class HeadscopeError(RuntimeError):
    """Headscope could not do what was asked; the message says what failed, on what, and what to do."""


class UsageError(HeadscopeError, ValueError):
    """An option that there is not, a number out of range, or options that do not fit together."""


class BadInputError(HeadscopeError):
    """A model or data that cannot be read."""


class ResourceError(HeadscopeError):
    """Not enough memory, a folder that cannot be written, a device or a program that is missing."""


_ERRORS = {"usage": UsageError, "bad-input": BadInputError, "resource": ResourceError}


class Answer(NamedTuple):
    """What a request gave."""

    result: Json
    floats: bytes  #: 32-bit numbers, little-endian, where the message carries some
    complete: bool  #: False: it was interrupted, and this is what was complete by then
    interrupted: bool = False  #: Ctrl-C was pressed meanwhile, also where the answer was complete by then


class Progress:
    """A bar of tqdm where that is installed, nothing otherwise."""

    def __init__(self, shown: bool) -> None:
        self._bar: Any = None
        self._phase = ""
        self._tqdm: Any = None
        if shown:
            try:
                from tqdm.auto import tqdm  # noqa: PLC0415 - optional
            except ImportError:
                return
            self._tqdm = tqdm

    def show(self, progress: Json) -> None:
        if self._tqdm is None:
            return
        if self._bar is None or progress["phase"] != self._phase:
            self.close()
            self._phase = progress["phase"]
            total = progress["total"] or None
            self._bar = self._tqdm(total=total, desc=self._phase, unit=" " + progress["unit"], leave=False)
        self._bar.update(progress["done"] - self._bar.n)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None


class _Stream:
    """What comes from a descriptor, without a lock that a fork could inherit."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor  #: -1: closed
        self._held = b""

    def _more(self) -> bool:
        got = os.read(self.descriptor, 1 << 16)
        self._held += got
        return bool(got)

    def line(self) -> bytes:
        """The next line; b"": the end. Raises ValueError for a line that no message has."""
        while b"\n" not in self._held:
            if len(self._held) > _LONGEST_LINE:
                raise ValueError("no line of a message")
            if not self._more():
                return b""
        line, _, self._held = self._held.partition(b"\n")
        return line + b"\n"

    def exactly(self, count: int) -> bytes:
        """So many bytes. Raises ValueError where they end before."""
        parts = [self._held[:count]]
        self._held = self._held[count:]
        missing = count - len(parts[0])
        while missing > 0:
            got = os.read(self.descriptor, min(missing, 1 << 20))
            if not got:
                raise ValueError("half a message")
            parts.append(got)
            missing -= len(got)
        return b"".join(parts)

    def close(self) -> None:
        descriptor, self.descriptor = self.descriptor, -1
        os.close(descriptor)


def _frame(stream: _Stream) -> Optional[bytes]:
    length = -1
    for _ in range(_MOST_LINES):
        line = stream.line()
        if not line:
            return None
        if line == b"\r\n":
            break
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length":
            length = int(value)
    if length < 0:
        raise ValueError("a message without its length")
    return stream.exactly(length)


_INTERRUPT = "interrupt"
_Message = Union[Tuple[Json, bytes], str, None]  #: what was said, that Ctrl-C was pressed, or that the process is gone
_Messages = queue.SimpleQueue  # a signal handler may put into it


def _read(stream: _Stream, messages: "_Messages[_Message]") -> None:
    """Runs in a thread of its own, so that Ctrl-C never tears a message apart."""
    try:
        while True:
            frame = _frame(stream)
            if frame is None:
                break
            message: Json = json.loads(frame)
            floats = _frame(stream) if message.get("binary") else b""
            messages.put((message, floats or b""))
    except (OSError, ValueError):
        pass
    messages.put(None)
    stream.close()


def _framed(message: Json) -> bytes:
    """Raises :class:`UsageError` for what cannot be said in a message."""
    try:
        body = json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False, allow_nan=False).encode()
    except UnicodeEncodeError as error:  # a path as the system has it, of bytes that are no UTF-8
        raise UsageError(f"{error.object!r} is not UTF-8: rename the file or folder, or open it by another name.") from None
    except ValueError:
        raise UsageError("a number that is asked for is not finite (inf or nan).") from None
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


def _end(process: "subprocess.Popen[bytes]", owner: int) -> None:
    if os.getpid() != owner:  # a fork of the process that has it
        return
    if process.stdin:
        try:
            # Forks may hold the connection open: it is told, too.
            os.write(process.stdin.fileno(), _framed({"method": "exit"}))
        except (OSError, ValueError):
            pass
        try:
            process.stdin.close()  # the core ends with the connection
        except OSError:
            pass
    try:
        process.wait(timeout=5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if process.stdout:
        process.stdout.close()


@contextmanager
def _interrupts_to(messages: "_Messages[_Message]") -> Iterator[None]:
    """In the block Ctrl-C is one of the messages; a second one is raised as usual."""
    before = signal.getsignal(signal.SIGINT)
    own = before is signal.default_int_handler  # else it is ignored, or somebody else's
    if threading.current_thread() is not threading.main_thread() or not own:
        yield
        return
    pressed = False

    def press(number: int, frame: Any) -> None:
        nonlocal pressed
        if pressed:
            raise KeyboardInterrupt
        pressed = True
        messages.put(_INTERRUPT)

    signal.signal(signal.SIGINT, press)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


_clients: "weakref.WeakSet[Client]" = weakref.WeakSet()


def _let_go() -> None:
    """In a fork: the connection is the parent's alone. The numbers stay taken, so that nothing else gets them."""
    for client in list(_clients):
        client.let_go()


os.register_at_fork(after_in_child=_let_go)


class Client:
    """The process, and requests to it one after the other, from any thread of the process that made it."""

    def __init__(self, progress: bool) -> None:
        self.progress = progress
        self._owner = os.getpid()
        self._lock = threading.RLock()
        self._last = 0
        self._messages: "_Messages[_Message]" = _Messages()
        self._stderr: Optional[IO[bytes]] = None
        try:
            self._stderr = tempfile.TemporaryFile()
        except OSError:  # no folder for temporary files: what the program says of its end is not kept
            pass
        try:
            path = str(program("headscope-cli"))
            # A session of its own: Ctrl-C is ours, and asks it to cancel.
            self._process = subprocess.Popen(
                [path, "serve", "--keep", "0"],
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._stderr if self._stderr is not None else subprocess.DEVNULL,
                env=environment("headscope-cli"),
                start_new_session=True,
            )
        except ProgramError as error:
            raise ResourceError(str(error)) from None
        except OSError as error:
            raise ResourceError(f"{path} cannot be started: {error.strerror or error}.") from None
        assert self._process.stdout is not None and self._process.stdin is not None
        os.set_blocking(self._process.stdin.fileno(), False)
        self._stream = _Stream(os.dup(self._process.stdout.fileno()))  # the thread's own, which it closes
        threading.Thread(target=_read, args=(self._stream, self._messages), daemon=True).start()
        self._finalizer = weakref.finalize(self, _end, self._process, self._owner)
        _clients.add(self)
        try:
            self.greeting = self.call("initialize", {"protocol": 1}, patience=_GREETING).result
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Ends the process; a second call does nothing."""
        self._finalizer()

    def let_go(self) -> None:
        """In a fork: closes its copies of the connection."""
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None and not stream.closed:
                os.dup2(nothing, stream.fileno(), inheritable=False)
        if self._stream.descriptor >= 0:
            os.dup2(nothing, self._stream.descriptor, inheritable=False)
        os.close(nothing)

    @contextmanager
    def together(self) -> Iterator[None]:
        """What is asked in the block belongs together: no other thread's requests come in between. Raises
        :class:`HeadscopeError` in a fork of the process that made this."""
        if os.getpid() != self._owner:  # before the lock, which a thread of the parent may have held when it forked
            raise HeadscopeError(
                "this model was opened before the process was forked, and only the process that opened it can use it: "
                "open it in each worker, or start workers by \"spawn\"."
            )
        with self._lock:
            yield

    def _send(self, message: Json) -> None:
        left = memoryview(_framed(message))
        assert self._process.stdin is not None
        try:
            descriptor = self._process.stdin.fileno()
            ready = select.poll()
            ready.register(descriptor, select.POLLOUT)
            while left:
                if not ready.poll(_PATIENCE * 1000):
                    raise self._silent(_PATIENCE)
                try:
                    left = left[os.write(descriptor, left) :]
                except BlockingIOError:  # less room than poll() said
                    pass
        except (OSError, ValueError):
            raise self._gone() from None

    def _silent(self, seconds: float) -> HeadscopeError:
        """It is there, and says nothing."""
        self._process.kill()
        self._finalizer()
        name = str(self._process.args[0]) if isinstance(self._process.args, list) else "headscope-cli"
        return ResourceError(
            f"{name} has not answered for {seconds:g} seconds, and was ended: is it Headscope's program, of the same version?"
        )

    def _gone(self) -> HeadscopeError:
        if not self._finalizer.alive:
            return HeadscopeError("This model is closed.")
        self._finalizer()
        said = ""
        if self._stderr is not None:
            self._stderr.seek(0)
            said = self._stderr.read().decode(errors="replace").strip()
        code = self._process.returncode
        return HeadscopeError(f"headscope-cli ended unexpectedly (exit code {code}){': ' + said if said else '.'}")

    def call(self, method: str, params: Json, partial: bool = False, patience: Optional[float] = None) -> Answer:
        """Asks, and waits for the answer. With `partial`, Ctrl-C gives what is complete, if there is any, and the answer
        says that it was pressed; else it cancels and is raised. `patience`: seconds without any message after which the
        program counts as gone. Raises :class:`HeadscopeError` and those derived from it."""
        with self.together():
            self._last += 1
            number = self._last
            asked = {**params, "partial": True} if partial else params
            self._send({"id": number, "method": method, "params": asked})
            bar = Progress(self.progress)
            try:
                with _interrupts_to(self._messages):
                    answer = self._wait(number, bar.show, patience or _PATIENCE)
                if answer.interrupted and not partial:
                    raise KeyboardInterrupt
                return answer
            finally:
                bar.close()

    def _next(self, patience: float) -> "_Message":
        """The next message. A program that is there answers a ping, whatever it computes."""
        last = time.monotonic()
        while True:
            try:
                return self._messages.get(timeout=min(_QUIET, patience))
            except queue.Empty:
                if time.monotonic() - last >= patience:
                    raise self._silent(patience) from None
                self._last += 1
                self._send({"id": self._last, "method": "ping"})

    def _wait(self, number: int, show: Callable[[Json], None], patience: float) -> Answer:
        kept: Optional[Json] = None
        interrupted = False
        while True:
            message = self._next(patience)
            if isinstance(message, str):
                interrupted = True
                self._send({"method": "$/cancel", "params": {"id": number}})
                continue
            if message is None:
                self._messages.put(None)
                raise self._gone()
            body, floats = message
            params = body.get("params", {})
            if body.get("method") == "$/progress" and params.get("id") == number:
                show(params["progress"])
            elif body.get("method") == "$/partial" and params.get("id") == number:
                kept = params["result"]
            elif "method" not in body and body.get("id") in (number, None):
                self._send({"method": "$/received", "params": {"id": number}})
                if "error" not in body:
                    return Answer(body["result"], floats, True, interrupted)
                if interrupted and body["error"].get("code") == _CANCELLED:
                    if kept is not None:
                        return Answer(kept, b"", False, True)
                    raise KeyboardInterrupt
                raise error_of(body["error"])


def error_of(error: Json) -> HeadscopeError:
    """The exception for an error that the core reports."""
    kind = _ERRORS.get((error.get("data") or {}).get("kind", ""), HeadscopeError)
    return kind(error.get("message", "no reason was given"))

"""One process ``headscope-cli serve`` and the messages to it (core/remote/PROTOCOL.md)."""

from __future__ import annotations

import json
import queue
import signal
import subprocess
import tempfile
import threading
import weakref
from contextlib import contextmanager
from typing import IO, Any, Callable, Dict, Iterator, NamedTuple, Optional, Tuple, Union

from ._programs import ProgramError, environment, program

Json = Dict[str, Any]
_CANCELLED = -32800


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


def _frame(stream: IO[bytes]) -> Optional[bytes]:
    length = None
    while True:
        line = stream.readline()
        if not line:
            return None
        if line == b"\r\n":
            break
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length":
            length = int(value)
    if length is None:
        raise ValueError("a message without its length")
    return stream.read(length)


_INTERRUPT = "interrupt"
_Message = Union[Tuple[Json, bytes], str, None]  #: what was said, that Ctrl-C was pressed, or that the process is gone
_Messages = queue.SimpleQueue  # a signal handler may put into it


def _read(stream: IO[bytes], messages: "_Messages[_Message]") -> None:
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


def _end(process: "subprocess.Popen[bytes]") -> None:
    if process.stdin:
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


class Client:
    """The process, and requests to it one after the other."""

    def __init__(self, progress: bool) -> None:
        self.progress = progress
        self._lock = threading.RLock()
        self._last = 0
        self._messages: "_Messages[_Message]" = _Messages()
        self._stderr = tempfile.TemporaryFile()
        try:
            words = [str(program("headscope-cli")), "serve", "--keep", "0"]
            # A session of its own: Ctrl-C is ours, and asks it to cancel.
            self._process = subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._stderr,
                env=environment("headscope-cli"),
                start_new_session=True,
            )
        except ProgramError as error:
            raise ResourceError(str(error)) from None
        assert self._process.stdout is not None
        threading.Thread(target=_read, args=(self._process.stdout, self._messages), daemon=True).start()
        self._finalizer = weakref.finalize(self, _end, self._process)
        self.greeting = self.call("initialize", {"protocol": 1}).result

    def close(self) -> None:
        """Ends the process; a second call does nothing."""
        self._finalizer()

    def _send(self, message: Json) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
            self._process.stdin.flush()
        except (OSError, ValueError):
            raise self._gone() from None

    def _gone(self) -> HeadscopeError:
        if not self._finalizer.alive:
            return HeadscopeError("This model is closed.")
        self._finalizer()
        self._stderr.seek(0)
        said = self._stderr.read().decode(errors="replace").strip()
        code = self._process.returncode
        return HeadscopeError(f"headscope-cli ended unexpectedly (exit code {code}){': ' + said if said else '.'}")

    def call(self, method: str, params: Json, partial: bool = False) -> Answer:
        """Asks, and waits for the answer. With `partial`, Ctrl-C gives what is complete, if there is any, and the answer
        says that it was pressed; else it cancels and is raised. Raises :class:`HeadscopeError` and those derived from
        it."""
        with self._lock:
            self._last += 1
            number = self._last
            asked = {**params, "partial": True} if partial else params
            self._send({"id": number, "method": method, "params": asked})
            bar = Progress(self.progress)
            try:
                with _interrupts_to(self._messages):
                    answer = self._wait(number, bar.show)
                if answer.interrupted and not partial:
                    raise KeyboardInterrupt
                return answer
            finally:
                bar.close()

    def _wait(self, number: int, show: Callable[[Json], None]) -> Answer:
        kept: Optional[Json] = None
        interrupted = False
        while True:
            message = self._messages.get()
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

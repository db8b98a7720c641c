"""How the module speaks with its program: threads, forks, programs that do not answer, and what cannot be said."""

import json
import os
import threading
import time

import pytest

import headscope as hs
from conftest import DEMO
from headscope import _client
from headscope._results import result_of

EPOCH = DEMO / "training" / "epoch-006"


def opened():
    return hs.Model.from_pretrained(EPOCH, progress=False)


@pytest.fixture
def pretender(tmp_path, monkeypatch):
    """Makes a script the program."""

    def make(text, mode=0o755):
        path = tmp_path / "headscope-cli"
        path.write_text(text)
        path.chmod(mode)
        monkeypatch.setenv("HEADSCOPE_BIN", str(tmp_path))

    return make


def in_a_fork(work):
    """What `work` returns in a fork of this process; None: it did not end in time."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(write, work().encode())
        finally:
            os._exit(0)
    os.close(write)
    end = time.monotonic() + 20
    while time.monotonic() < end:
        if os.waitpid(child, os.WNOHANG)[0]:
            said = os.read(read, 10000).decode()
            os.close(read)
            return said
        time.sleep(0.02)
    os.kill(child, 9)
    os.waitpid(child, 0)
    os.close(read)
    return None


def test_threads_get_results_of_their_own_data(model):
    files = [(DEMO / "corpus" / f"{name}.en", DEMO / "corpus" / f"{name}.fr") for name in ("in_domain", "out_of_domain")]
    sets = [hs.Dataset.parallel(*pair, limit=limit) for pair in files for limit in (3, 5)]
    with opened() as single:
        wanted = [single.evaluate(data, resamples=0).raw for data in sets]
    assert len({one["manifest"]["data_hash"] for one in wanted}) == len(sets)
    wrong = []

    def ask(number):
        for _ in range(6):
            got = model.evaluate(sets[number], resamples=0).raw
            for key in ("metrics", "examples"):
                if got[key] != wanted[number][key]:
                    wrong.append((number, key))
            if got["manifest"]["data_hash"] != wanted[number]["manifest"]["data_hash"]:
                wrong.append((number, "data"))

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(len(sets))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_fork_is_told_to_open_its_own(data):
    def use():
        try:
            model.evaluate(data, resamples=0)
            return "computed"
        except hs.HeadscopeError as error:
            model.close()  # the parent's goes on
            return str(error)

    with opened() as model:
        said = in_a_fork(use)
        assert said is not None and "forked" in said
        assert model.evaluate(data, resamples=0).raw["examples"] == 20


def test_a_fork_while_another_thread_waits(model, data):
    """The lock is held when the process is forked."""
    thread = threading.Thread(target=lambda: model.ablate(data, seed=77))
    thread.start()
    time.sleep(0.05)

    def use():
        try:
            model.evaluate(data)
            return "computed"
        except hs.HeadscopeError as error:
            return str(error)

    said = in_a_fork(use)
    thread.join()
    assert said is not None and "forked" in said


def test_a_fork_that_lives_on_does_not_keep_the_program():
    model = opened()
    child = os.fork()
    if child == 0:
        time.sleep(30)
        os._exit(0)
    begin = time.monotonic()
    model.close()
    took = time.monotonic() - begin
    os.kill(child, 9)
    os.waitpid(child, 0)
    assert took < 4 and model._session.client._process.returncode == 0


@pytest.mark.parametrize("script", ["sleep 600", "exec cat >/dev/null", "exec yes x", "yes | tr -d '\\n'"])
def test_a_program_that_never_answers(pretender, monkeypatch, script):
    pretender(f"#!/bin/sh\n{script}\n")
    monkeypatch.setattr(_client, "_GREETING", 1.0)
    begin = time.monotonic()
    with pytest.raises(hs.HeadscopeError) as error:
        opened()
    assert "headscope-cli" in str(error.value)
    assert time.monotonic() - begin < 15


def test_a_program_that_falls_silent(monkeypatch, data):
    with opened() as model:
        monkeypatch.setattr(_client, "_QUIET", 0.2)
        monkeypatch.setattr(_client, "_PATIENCE", 1.0)
        os.kill(model._session.client._process.pid, 19)  # SIGSTOP
        with pytest.raises(hs.HeadscopeError, match="not answered"):
            model.evaluate(data)


def test_long_work_is_no_silence(monkeypatch, data, tmp_path):
    """It answers whether it is there, while it computes."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))  # nothing of it is kept from an earlier run
    monkeypatch.setattr(_client, "_QUIET", 0.05)
    monkeypatch.setattr(_client, "_PATIENCE", 2.0)
    with opened() as model:
        begin = time.monotonic()
        assert model.ablate(data, seed=5, plain=True).raw["examples"] == 20
        assert time.monotonic() - begin > 0.1


def test_a_program_that_cannot_be_run(pretender):
    pretender("#!/bin/sh\n", mode=0o644)
    if os.access(os.environ["HEADSCOPE_BIN"] + "/headscope-cli", os.X_OK):
        pytest.skip("everything may be run here")
    with pytest.raises(hs.ResourceError, match="cannot be started"):
        opened()


def test_paths_that_are_no_utf8(model):
    name = os.fsdecode(b"/tmp/caf\xe9")
    with pytest.raises(hs.UsageError, match="not UTF-8"):
        hs.Model.from_pretrained(name, progress=False)
    with pytest.raises(hs.UsageError, match="not UTF-8"):
        model.run("evaluate", hs.Dataset.parallel(name))


@pytest.mark.parametrize("number", [float("inf"), float("nan")])
def test_numbers_that_are_none(model, data, number):
    with pytest.raises(hs.UsageError, match="finite"):
        model.ablate(data, precision=number)


def test_numbers_out_of_range(model, data):
    for name, value in (("batch_tokens", 0), ("beams", 0), ("max_length", 1)):
        with pytest.raises(hs.HeadscopeError, match=name.replace("_", "-")):
            model.evaluate(data, **{name: value})


@pytest.mark.parametrize("heads", ["encoder.99.0", "cross.0.99", "encoder.0.0,decoder.77.1"])
def test_heads_that_the_model_lacks(model, data, heads):
    lacked = heads.split(",")[-1]
    for ask in (
        lambda: model.run("evaluate", data, mask=heads),
        lambda: model.run("evaluate", data, against=heads),
        lambda: model.run("importance", data, mask=heads),
    ):
        with pytest.raises(hs.UsageError, match=lacked):
            ask()


def test_without_a_folder_of_ones_own(monkeypatch, data):
    for name in ("XDG_RUNTIME_DIR", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, "/proc/nowhere")
    monkeypatch.setenv("HOME", "/proc/nobody")
    with opened() as model:
        assert model.evaluate(data, resamples=0).raw["examples"] == 20


def test_html_of_strange_names(sweep):
    raw = json.loads(json.dumps(sweep.raw))
    raw["baseline"]["metric"] = raw["manifest"]["data"] = "<script>alert(1)</script>"
    named = {"result": "<img src=x>", "metrics": {"<i>a</i>": 1}, "manifest": raw["manifest"]}
    for shown in (result_of(raw), result_of(named)):
        text = shown._repr_html_()
        assert not any(tag in text for tag in ("<script", "<img", "<i>"))

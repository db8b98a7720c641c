import json
import math
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import DEMO

import headscope as hs
from headscope import _grid, _programs
from headscope._results import result_of


def cli(*words):
    done = subprocess.run([_programs.program("headscope-cli"), *map(str, words)], capture_output=True, check=True)
    return json.loads(done.stdout)


def test_a_sweep_is_that_of_the_command_line(model, data, sweep):
    told = cli("ablate", "--model", DEMO / "training" / "epoch-006", "--source", data.source["source"], "--reference",
               data.source["reference"], "--limit", 20, "--seed", 3, "--quiet")  # fmt: skip
    assert sweep.raw["heads"] == told["heads"]
    assert sweep.key == told["manifest"]["key"]
    assert sweep.complete and sweep.metric == "BLEU" and sweep.better == "higher"
    assert sweep.score == told["baseline"]["score"]
    assert len(sweep.records()) == len(model.heads) == 72


def test_rows_have_the_columns_of_a_tidy_table(sweep):
    row = sweep.records()[0]
    assert list(row)[:11] == ["head", "kind", "layer", "head_number", "metric", "score", "delta", "ci_low", "ci_high", "p",
                              "p_adjusted"]  # fmt: skip
    assert (row["head"], row["kind"], row["layer"], row["head_number"]) == ("encoder.0.0", "encoder", 0, 0)
    assert (row["examples"], row["metric"]) == (20, "BLEU")
    assert row["delta"] == sweep.raw["heads"][0]["delta"]
    assert "replicates" not in row and len(sweep.arrays["heads.replicates"]) == 72


def test_tops_are_of_heads_that_matter(sweep):
    """By the result's own `better`: what is lost without the head, what it adds, how large its effect is."""
    pytest.importorskip("pandas")
    assert sweep.top(1).delta[0] == min(row["delta"] for row in sweep.records())
    loss = result_of({"result": "ablate", "baseline": {"metric": "loss", "score": 2, "better": "lower"}, "heads": [
        {"head": "encoder.0.0", "delta": -0.5}, {"head": "encoder.0.1", "delta": 0.5}]})  # fmt: skip
    assert loss.top(1)["head"][0] == "encoder.0.1"  # without it the loss is larger
    shares = result_of({"result": "shapley", "metric": "loss", "better": "lower", "heads": [
        {"head": "encoder.0.0", "shapley": 0.5}, {"head": "encoder.0.1", "shapley": -0.5}]})  # fmt: skip
    assert shares.top(1)["head"][0] == "encoder.0.1"  # it takes from the loss
    shares.raw["better"] = "higher"
    assert shares.top(1)["head"][0] == "encoder.0.0"
    patch = result_of({"result": "patch", "measure": "probability", "examples": 2, "clean": {"score": 1}, "heads": [
        {"head": "encoder.0.0", "effect": 0.1}, {"head": "encoder.0.1", "effect": 0.9},
        {"head": "encoder.0.2", "effect": -0.2}]})  # fmt: skip
    assert list(patch.top(3)["head"]) == ["encoder.0.1", "encoder.0.2", "encoder.0.0"]
    assert sweep.top(1, "p_holm").p_adjusted[0] == min(row["p_adjusted"] for row in sweep.records())
    with pytest.raises(KeyError, match="no column 'nothing'"):
        sweep.top(1, "nothing")


def test_a_mask_is_computed_with(model, data):
    without = model.masked(["encoder.0.3"]).masked("cross.1.3")
    assert without.mask == ["encoder.0.3", "cross.1.3"]
    result = without.evaluate(data, against="")
    assert result.raw["mask"] == "encoder.0.3,cross.1.3"
    full = model.evaluate(data)
    assert result.raw["against"]["score"] == full.score
    assert math.isclose(result.score - full.score, result.raw["against"]["delta"])
    with pytest.raises(hs.UsageError, match="no head encoder.9.0"):
        model.masked("encoder.9.0")


def test_outputs_stand_beside_their_texts(model, data):
    outputs = model.predict(data).example_records()
    sources = Path(data.source["source"]).read_text().splitlines()
    assert [row["source"] for row in outputs] == sources[:20]
    assert all(row["text"] for row in outputs)
    assert model.evaluate(data, outputs=True).example_records()[3] == outputs[3]


def test_every_named_analysis(model, data):
    assert model.importance(data, reduction="example").raw["reduction"] == "example"
    curve = model.prune(data, order="random", random_orders=2, step=36)
    assert [row["pruned"] for row in curve.records()] == [0, 36, 72]
    found = model.search(data, kinds=["cross"], step=8, resamples=0)
    assert {row["way"] for row in found.records()} == {"search", "rearranged", "rescaled"}
    assert found.raw["candidates"] == 16
    assert model.roles(data).raw["measure"] == "weights"
    assert model.relevance(data, rule="epsilon").raw["rule"] == "epsilon"
    assert len(model.similarity(data).heads_of("cross")) == 16
    assert model.run("confidence", data).shown == "confidence"


def test_an_order_is_chosen_on_other_data(model, data):
    other = hs.Dataset.parallel(
        DEMO / "corpus" / "out_of_domain.en", DEMO / "corpus" / "out_of_domain.fr", name="sea", limit=10
    )
    curve = model.prune(data, order_on=other, step=36)
    assert curve.raw["curves"][0]["order_data"] == "sea"
    assert not curve.raw["curves"][0]["order_chosen_on_evaluated"]


def test_attention_is_read_with_its_tokens(model):
    shown = model.attention("They say that the thief is here.", beams=1)
    first = shown.raw["maps"][0]
    assert first["head"] == "encoder.0.0"
    assert len(first["weights"]) == len(shown.tokens("encoder.0.0")["queries"])
    assert all(math.isclose(sum(row), 1, abs_tol=1e-5) for one in shown.raw["maps"] for row in one["weights"])
    assert shown.records()[0]["key_token"] == shown.raw["source_tokens"][0]["text"]


def test_results_are_compared(model, data, sweep):
    result = hs.compare(sweep, model.ablate(data, seed=3, all_but_one=False, resamples=1000))
    assert result.raw["pearson"]["value"] == pytest.approx(1)
    assert all(row["difference"] == 0 for row in result.records())
    with pytest.raises(hs.HeadscopeError, match="ablate|importance|heads"):
        hs.compare(sweep, model.evaluate(data))


def test_errors_say_what_there_is(model, data, tmp_path):
    with pytest.raises(hs.UsageError, match='"foo" is unknown; there are'):
        model.run("ablate", data, foo=1)
    with pytest.raises(hs.HeadscopeError, match="importence: give importance, ablation, .*random, or a file"):
        model.prune(data, order="importence")
    with pytest.raises(hs.UsageError, match='Unknown .*"nothing": expected zero, mean'):
        model.ablate(data, replace="nothing")
    with pytest.raises(hs.UsageError, match="choose_on needs all_but_one"):
        model.ablate(data, choose_on=data)
    with pytest.raises(hs.HeadscopeError, match="unknown analysis"):
        model.run("astrology", data)
    with pytest.raises(hs.HeadscopeError, match="nowhere.en"):
        model.evaluate(hs.Dataset.parallel(tmp_path / "nowhere.en", tmp_path / "nowhere.fr"))
    with pytest.raises(hs.BadInputError, match=str(tmp_path)):
        hs.Model.from_pretrained(tmp_path)
    assert model.evaluate(data).score > 50  # and goes on


def test_files_and_studies_come_back(model, data, sweep, tmp_path):
    assert hs.load(sweep.save(tmp_path / "sweep.json")).raw == sweep.raw
    path = hs.save_study(tmp_path / "mine.headscope", sweep, model.importance(data))
    study = hs.load(path)
    assert [result.kind for result in study.results] == ["ablate", "importance"]
    assert study.results[0].raw == sweep.raw
    with study.model(progress=False) as again:
        assert again.card["weights_hash"] == model.card["weights_hash"]
        assert again.evaluate(study.data()).score == sweep.score
    with pytest.raises(ValueError, match="does not say where"):
        hs.save_study(tmp_path / "other.headscope", hs.load(tmp_path / "sweep.json"))
    (tmp_path / "text.json").write_text("[1]")
    with pytest.raises(hs.BadInputError, match="neither a study nor a result"):
        hs.load(tmp_path / "text.json")
    demo = hs.load(DEMO / "demo.headscope")
    assert len(demo.results) > 20 and demo.of_kind("roles")


@pytest.mark.skipif(
    not (Path(os.environ.get("HEADSCOPE_BIN", "/nowhere")) / "headscope").is_file(), reason="the window is not built"
)
def test_the_window_opens_such_a_study(model, data, sweep, tmp_path):
    path = hs.save_study(tmp_path / "mine.headscope", sweep)
    picture = tmp_path / "heads.png"
    subprocess.run(
        [_programs.program("headscope"), path, "--view", "heads", "--screenshot", picture], check=True, timeout=300
    )
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_ctrl_c_keeps_what_is_complete(model, data):
    large = hs.Dataset.parallel(data.source["source"], data.source["reference"], limit=400)
    client = model._session.client

    class PressedAtFirstPartial:
        put = client._messages.put
        pressed = False

        def get(self, timeout=None):
            message = messages.get(timeout=timeout)
            if isinstance(message, tuple) and message[0].get("method") == "$/partial" and not self.pressed:
                self.pressed = True
                os.kill(os.getpid(), signal.SIGINT)
            return message

    messages, client._messages = client._messages, PressedAtFirstPartial()
    after = []
    try:
        with pytest.raises(KeyboardInterrupt) as stopped:
            for _ in range(50):  # as somebody loops over models: it ends here
                # A seed of its own: what another run kept would come at once.
                model.ablate(large, seed=int.from_bytes(os.urandom(4), "little"))
                after.append(1)
    finally:
        client._messages = messages
    assert not after
    part = stopped.value.result
    assert isinstance(stopped.value, hs.Interrupted) and model.interrupted is part
    assert not part.complete
    assert 0 < part.raw["examples"] < 400
    assert "INCOMPLETE" in repr(part) and "of 400 examples" in repr(part) and "INCOMPLETE" in part._repr_html_()
    assert all(row["complete"] is False for rows in part.tables.values() for row in rows)
    assert list(part.tables)[0] == "heads" and part.tables["summary"]  # of heads there may be none yet
    assert model.evaluate(data).complete and model.interrupted is None
    assert "complete" not in model.evaluate(data).records()[0]


def test_an_incomplete_result_says_so_in_files(sweep, tmp_path):
    raw = json.loads(json.dumps(sweep.raw))
    raw["manifest"]["partial"] = True
    path = tmp_path / "part.json"
    path.write_text(json.dumps(raw))
    part = hs.load(path)
    assert not part.complete and "INCOMPLETE" in repr(part)
    with pytest.raises(hs.HeadscopeError, match="partial"):
        hs.compare(part, sweep)


def test_a_core_that_is_gone_is_told(data):
    opened = hs.Model.from_pretrained(DEMO / "training" / "epoch-006", progress=False)
    opened._session.client._process.kill()
    with pytest.raises(hs.HeadscopeError, match="ended unexpectedly"):
        opened.evaluate(data)
    with pytest.raises(hs.HeadscopeError, match="closed"):
        opened.evaluate(data)


def test_html_is_the_grid(sweep):
    text = sweep._repr_html_()
    assert text.count("<rect ") == 72
    assert "<title>cross.1.3: " in text and "</svg>" in text
    worst = min(sweep.records(), key=lambda row: row["delta"])
    assert worst["head"] == "cross.1.3"


def test_colours_are_those_of_the_window():
    scale = _grid.Scale([-2.0, 1.0], signed=True)
    assert (scale.low, scale.high) == (-2, 2)
    assert scale.color(0) == "#fafafa"
    red, blue = (int(scale.color(-2)[i : i + 2], 16) for i in (1, 5))
    assert blue > red + 80  # losses are blue
    assert scale.color(math.nan) == "#d9dce0"
    assert _grid.Scale([1.0], signed=True, lower_is_better=True).color(1) == scale.color(-2)


def test_frames_and_arrays(model, data, sweep):
    pd = pytest.importorskip("pandas")
    frame = sweep.to_dataframe()
    assert len(frame) == 72 and frame["delta"].min() == sweep.top(1)["delta"][0]
    assert sweep.to_numpy("cross").shape == (2, 8)
    assert sweep.to_numpy("cross")[1, 3] == frame["delta"].min()
    with pytest.raises(KeyError, match="encoder, cross, decoder"):
        sweep.to_numpy("nobody")
    lines = [Path(data.source[side]).read_text().splitlines()[:20] for side in ("source", "reference")]
    given = pd.DataFrame({"english": lines[0], "french": lines[1]})
    read = hs.Dataset.from_pandas(given, text="english", label="french")
    assert model.evaluate(read).score == model.evaluate(data).score
    assert read == hs.Dataset.from_pandas(given, text="english", label="french")
    with pytest.raises(KeyError, match="no column 'german'"):
        hs.Dataset.from_pandas(given, text="german")
    assert model.similarity(data).distances("cross").shape == (16, 16)
    assert model.predict(data).per_example()["text"].notna().all()
    with pytest.raises(ValueError, match="outputs=True"):
        sweep.per_example()


def test_plots(sweep):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    axes = sweep.plot("cross")
    assert axes.get_title() == "delta of BLEU, cross"
    assert axes.images[0].get_array().shape == (2, 8)
    assert axes.images[0].origin == "lower"  # layer 0 at the bottom, as in the window


def test_what_is_not_installed_is_named(sweep, monkeypatch):
    for module, call in (("pandas", sweep.to_dataframe), ("matplotlib.pyplot", sweep.plot), ("numpy", sweep.to_numpy)):
        with monkeypatch.context() as patched:
            patched.setitem(sys.modules, module, None)
            package = module.split(".")[0]
            with pytest.raises(ImportError, match=f"needs {package}, which is not installed: pip install {package}"):
                call()


def test_data_in_memory(model, data):
    sources = Path(data.source["source"]).read_text().splitlines()[:20]
    references = Path(data.source["reference"]).read_text().splitlines()[:20]
    score = model.evaluate(data).score
    assert model.evaluate(hs.Dataset.from_texts(sources, references)).score == score
    assert model.evaluate(hs.Dataset.from_pairs(zip(sources, references))).score == score
    rows = [{"translation": {"en": en, "fr": fr}} for en, fr in zip(sources, references)]
    assert model.evaluate(hs.Dataset.from_datasets(rows, languages=("en", "fr"))).score == score
    assert len(model.predict(hs.Dataset.from_texts(sources[:3])).records()) == 3
    for wrong in (lambda: hs.Dataset.from_texts("one text"), lambda: hs.Dataset.from_texts(["a"], ["b", "c"]),
                  lambda: hs.Dataset.from_texts([1]), lambda: hs.Dataset.from_pairs([("a", "b")], meaning="odd")):  # fmt: skip
        with pytest.raises(ValueError):
            wrong()
    with pytest.raises(ValueError, match="empty lines"):
        hs.Dataset.from_texts(["a\n\nb", "c"], running=True)
    assert hs.Dataset.from_texts(["a b", "c d"], running=True).source["text_unit"] == "document"


def test_frames_without_a_header(model, data):
    pd = pytest.importorskip("pandas")
    lines = [Path(data.source[side]).read_text().splitlines()[:20] for side in ("source", "reference")]
    frame = pd.DataFrame(list(zip(*lines)))
    assert model.evaluate(hs.Dataset.from_pandas(frame, text=0, label=1)).score == model.evaluate(data).score
    with pytest.raises(KeyError, match="have no names"):
        hs.Dataset.from_pandas(frame)


def test_masks_are_arrays_too(model, data, sweep):
    np = pytest.importorskip("numpy")
    array = sweep.to_numpy("cross") < -5
    heads = [row["head"] for row in sweep.records() if row["kind"] == "cross" and row["delta"] < -5]
    assert heads and model.masked({"cross": array}).mask == heads
    by_option = model.evaluate(data, mask={"cross": array})
    assert by_option.score == model.masked(heads).evaluate(data).score
    assert by_option.raw["mask"] == ",".join(heads)
    with pytest.raises(hs.UsageError, match="array == 0"):
        model.masked({"cross": array.astype(int)})
    with pytest.raises(hs.UsageError, match="no attention of 'nobody'"):
        model.masked({"nobody": array})
    with pytest.raises(hs.UsageError, match="several kinds of attention"):
        model.masked(np.zeros((2, 8), dtype=bool))


def test_attention_of_a_data_set(model, data):
    np = pytest.importorskip("numpy")
    shown = model.attention(data)
    assert len(shown) == 20 and "20 examples" in repr(shown)
    third = shown[2]
    sources = Path(data.source["source"]).read_text().splitlines()
    references = Path(data.source["reference"]).read_text().splitlines()
    assert third.raw["source"] == sources[2] and third.raw["target"] == references[2]
    alone = model.attention(sources[2], references[2])
    assert np.array_equal(third.weights("cross.1.3"), alone.weights("cross.1.3"))
    assert [one.raw["source"] for one in shown[:2]] == sources[:2]
    tensor = third.tensor("cross")
    assert tensor.shape[:2] == (2, 8) and np.array_equal(tensor[1, 3], third.weights("cross.1.3"))
    with pytest.raises(IndexError):
        shown[20]


def test_a_pruned_model_is_written(model, data, tmp_path):
    curve = model.prune(data, step=36, export=tmp_path / "smaller", export_at=36)
    with hs.Model.from_pretrained(tmp_path / "smaller", progress=False) as smaller:
        assert smaller.evaluate(data).score == pytest.approx(curve.records()[1]["score"])
    with pytest.raises(hs.UsageError, match="points at 0, 36, 72 removed heads"):
        model.prune(data, step=36, export=tmp_path / "other")
    said = model.masked(["encoder.0.3"]).export(tmp_path / "small", form="small")
    assert said["heads_left"] == 71


def test_checkpoints_are_compared(model, data, sweep):
    with hs.Model.from_pretrained(DEMO / "training" / "epoch-002", progress=False) as early:
        result = hs.compare(early.ablate(data, seed=3), sweep)
    assert (result.raw["a"]["data"], result.raw["b"]["data"]) == ("epoch-002", "epoch-006")
    assert any(row["difference"] != 0 for row in result.records())


def test_models_in_memory_are_saved_for_a_while(data):
    class Saved:
        def __init__(self, names):
            self.names = names

        def save_pretrained(self, folder):
            for name in self.names:
                (Path(folder) / name).write_bytes((DEMO / "training" / "epoch-006" / name).read_bytes())

    names = [path.name for path in (DEMO / "training" / "epoch-006").iterdir() if path.is_file()]
    opened = hs.Model.from_transformers(Saved(names[::2]), Saved(names[1::2]), progress=False)
    folder = Path(opened.card["folder"])
    assert folder.is_dir() and opened.evaluate(data).score > 50
    opened.close()
    assert not folder.exists()


def test_nothing_imports_torch():
    code = "import sys, headscope; sys.exit('torch' in sys.modules or 'pandas' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0

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
    assert list(row)[:9] == ["kind", "layer", "head", "delta", "ci_low", "ci_high", "p", "p_holm", "p_bh"]
    assert (row["kind"], row["layer"], row["head"], row["n"]) == ("encoder", 0, 0, 20)
    assert row["delta"] == sweep.raw["heads"][0]["delta"]
    assert "replicates" not in row


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
        model.ablate(data, foo=1)
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
    try:
        # A seed of its own: what another run kept would come at once.
        part = model.ablate(large, seed=int.from_bytes(os.urandom(4), "little"))
    finally:
        client._messages = messages
    assert not part.complete
    assert 0 < part.raw["examples"] < 400
    assert "interrupted" in repr(part)
    assert model.evaluate(data).complete


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
    assert (worst["kind"], worst["layer"], worst["head"]) == ("cross", 1, 3)


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


def test_nothing_imports_torch():
    code = "import sys, headscope; sys.exit('torch' in sys.modules or 'pandas' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0

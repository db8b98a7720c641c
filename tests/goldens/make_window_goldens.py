#!/usr/bin/env python3
"""Writes windows.json into some folders of tests/goldens/families: what examples cost when some heads see only the first
keys and those near the query, by transformers with hooks that hide the others in the mask of each attention.

    python3 -m venv venv
    venv/bin/pip install torch==2.13.0 transformers==4.57.1 safetensors==0.8.0
    venv/bin/python tests/goldens/make_window_goldens.py tests/goldens/families

The project itself needs no Python, and the build does not run this. Every run is a whole forward pass by itself in
float64, of the weights that sweep.json is of (make_family_goldens.py --sweeps), of encoder-decoders of weights softened
alike; numbers have 9 significant digits.
  factors      that weights are multiplied by
  rows         token ids; of encoder-decoders {source, prefix, target}
  mask_id      masked models: the token in the place of each token in turn
  losses       of the rows by the full model: the sum of -ln p of the target tokens, of all tokens but the first, or of
               each token masked
  cases        sinks and window: keys that are seen, those before `sinks` and those at a distance from the query below
               `window`; heads: [kind, layer, head] that see no others; losses likewise
"""
import argparse
import contextlib
import json
import pathlib
import random
import tempfile
import warnings
import zlib

import torch
import transformers

import make_family_goldens as families

FAMILIES = {"gpt2-hub": transformers.AutoModelForCausalLM, "llama-grouped": transformers.AutoModelForCausalLM,
            "pythia": transformers.AutoModelForCausalLM, "mistral-window": transformers.AutoModelForCausalLM,
            "bert-mlm": transformers.AutoModelForMaskedLM, "bart-cnn": transformers.AutoModelForSeq2SeqLM}
WINDOWS = ((0, 1), (1, 1), (2, 3), (4, 2), (0, 5))


def attentions(model):
    """(kind, layer) → the attention of a text to itself whose argument is the mask."""
    found = {}
    for name, module in model.named_modules():
        parts = name.split(".")
        layer = next((int(part) for part in parts if part.isdigit()), None)
        if layer is None:
            continue
        if name.endswith("attention.self"):
            found["encoder", layer] = module
        elif parts[-1] in ("attn", "self_attn", "attention") and "encoder" in parts:
            found["encoder", layer] = module
        elif parts[-1] in ("attn", "self_attn", "attention"):
            found["decoder", layer] = module
    return found


@contextlib.contextmanager
def windowed(places, counts, heads, sinks, window):
    """Hides keys from these heads."""
    handles = []
    for place, module in places.items():
        own = [head for kind, layer, head in heads if (kind, layer) == place]
        if not own:
            continue

        def hook(_, positional, named, own=own, place=place):
            assert not any(torch.is_tensor(one) and one.dim() == 4 for one in positional[1:]), "a mask without a name"
            hidden_states = positional[0] if positional else named["hidden_states"]
            length = hidden_states.shape[1]
            near = (torch.arange(length)[:, None] - torch.arange(length)[None, :]).abs() < window
            near |= torch.arange(length)[None, :] < sinks
            hidden = torch.zeros(1, counts[place[0]], length, length, dtype=torch.float64)
            hidden[:, own] = torch.where(near, 0.0, -1e30).double()
            before = named.get("attention_mask")
            named = dict(named, attention_mask=hidden if before is None else before + hidden)
            return positional, named
        handles.append(module.register_forward_pre_hook(hook, with_kwargs=True))
    assert handles
    yield
    for handle in handles:
        handle.remove()


def losses_of(model, kind, rows):
    if kind != "seq2seq":
        return families.losses_and_best(model, kind, rows)[0]
    losses = []
    for row in rows:
        logits = model(input_ids=torch.tensor([row["source"]]), decoder_input_ids=torch.tensor([row["prefix"]]),
                       use_cache=False).logits[0]
        losses.append(-logits.log_softmax(-1).gather(1, torch.tensor(row["target"])[:, None]).sum())
    return torch.stack(losses)


def make(folder, opener):
    golden = json.loads((folder / "golden.json").read_text())
    kind = {"language_model": "language_model", "masked_lm": "masked_lm"}.get(golden["kind"], "seq2seq")
    with tempfile.TemporaryDirectory() as target:
        factors = families.soften(folder, pathlib.Path(target))
        model = opener.from_pretrained(target, attn_implementation="eager").eval()
    torch.set_default_dtype(torch.float64)
    model.double()
    torch.manual_seed(zlib.crc32(folder.name.encode()) + 44)
    chosen = random.Random(44)

    def tokens(length):
        return torch.randint(6, model.config.vocab_size - 5, (length,)).tolist()
    rows = [tokens(length) for length in families.SWEEP_LENGTHS]
    if kind == "seq2seq":
        start = model.config.decoder_start_token_id
        rows = []
        for length in families.SWEEP_LENGTHS:
            target = tokens(length - 1) + [2]
            rows.append({"source": tokens(length) + [2], "prefix": [start] + target[:-1], "target": target})
    places = attentions(model)
    stacks = {name: stack for name, stack in golden["stacks"].items() if name != "cross"}
    counts = {name: len(stack["heads"][0]) for name, stack in stacks.items()}
    all_heads = [[name, layer, head] for name, stack in stacks.items()
                 for layer, numbers in enumerate(stack["heads"]) for head in numbers]
    whole = losses_of(model, kind, rows)
    with windowed(places, counts, all_heads, 0, 99):
        assert (losses_of(model, kind, rows) - whole).abs().max() < 1e-12
    cases = []
    for sinks, window in WINDOWS:
        for heads in [[head] for head in all_heads] + [chosen.sample(all_heads, 2), all_heads]:
            with windowed(places, counts, heads, sinks, window):
                losses = losses_of(model, kind, rows)
            cases.append({"sinks": sinks, "window": window, "heads": sorted(heads), "losses": families.digits(losses)})
    torch.set_default_dtype(torch.float32)
    moved = sorted((torch.tensor(case["losses"]) - whole.float()).abs().max().item() for case in cases)
    result = {"made_by": "tests/goldens/make_window_goldens.py", "transformers": transformers.__version__,
              "torch": torch.__version__, "factors": factors,
              **({"mask_id": families.MASK} if kind == "masked_lm" else {}), "rows": rows,
              "losses": families.digits(whole), "cases": cases}
    text = ",\n".join(f"{json.dumps(key)}: {families.lines(value)}" for key, value in result.items())
    (folder / "windows.json").write_text("{" + text + "}\n")
    print(f"{folder.name:16} {len(cases)} cases, the largest change of a loss is {moved[0]:.1e} to {moved[-1]:.1e}, "
          f"half above {moved[len(moved) // 2]:.1e}")
    assert moved[len(moved) // 2] > 1e-3


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    torch.set_grad_enabled(False)
    warnings.simplefilter("ignore")
    transformers.logging.set_verbosity_error()
    for name, opener in FAMILIES.items():
        make(arguments.folder / name, opener)


if __name__ == "__main__":
    main()

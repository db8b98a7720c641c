#!/usr/bin/env python3
"""Makes tests/goldens/gating.json: causal head gating (Nam 2025) by a plain loop over transformers' models.

    python3 tests/goldens/make_gating_goldens.py tests/goldens

Needs torch, transformers and numpy; the project itself needs no Python, and the build does not run this. The goldens in the
repository come from torch 2.13.0+cpu and transformers 4.57.1, in double precision.

The models and rows are those of tests/goldens/classifiers; rows run one by one. Gates are σ(z), z uniform in [-1, 1) at
first, from NumPy's generator; they multiply what heads give to their layer's output projection. Every update of Adam takes
all rows: mean cross-entropy, plus pull times the sum of all z, which stay between -MOST and MOST. For every model:
  loss    of the model without gates, mean over rows
  free, opened, closed   gates after STEPS updates without a pull, and after STEPS more from there with a pull to 1
                         (-LAMBDA) and to 0 (+LAMBDA); layer by layer, head by head
  free_loss, opened_loss, closed_loss   under these gates
"""
import json
import pathlib
import sys

import numpy
import torch
import transformers

STEPS = 25
LAMBDA = 0.02
LEARNING_RATE = 0.1
SEED = 12345
MOST = 4  # of |z|, beyond which gates would hardly move any more
MODELS = ("bert-pairs", "electra-pairs", "gpt2-binary", "qwen2-topics")


def projections(model):
    """Output projections of all layers, and heads of each."""
    config = model.config
    if config.model_type == "gpt2":
        return [block.attn.c_proj for block in model.transformer.h], config.n_head
    if config.model_type == "qwen2":
        return [layer.self_attn.o_proj for layer in model.model.layers], config.num_attention_heads
    return [layer.attention.output.dense for layer in model.base_model.encoder.layer], config.num_attention_heads


def initial(count):
    """The first numbers of Headscope's stream for this seed (core/train/trainedgates.cpp)."""
    seed = ((SEED << 40) + (-1 << 8) + 0x67) % 2 ** 64
    uniform = numpy.random.Generator(numpy.random.PCG64(seed)).random(count)
    return torch.tensor(2 * uniform.clip(1e-6, 1 - 1e-6) - 1)


def make(folder):
    model = transformers.AutoModelForSequenceClassification.from_pretrained(folder, attn_implementation="eager")
    model = model.double().eval().requires_grad_(False)
    rows = json.loads((folder / "golden.json").read_text())["rows"]
    layers, heads = projections(model)
    gates = {"now": None}

    def gated(layer):
        def hook(_, inputs):
            if gates["now"] is None:
                return None
            context = inputs[0]
            own = gates["now"][layer * heads:(layer + 1) * heads]
            return (context * own.repeat_interleave(context.shape[-1] // heads),)

        return hook

    for layer, projection in enumerate(layers):
        projection.register_forward_pre_hook(gated(layer))

    def loss(z):
        gates["now"] = None if z is None else torch.sigmoid(z)
        total = 0
        for row in rows:
            more = {"token_type_ids": torch.tensor([row["token_type_ids"]])} if row.get("token_type_ids") else {}
            logits = model(input_ids=torch.tensor([row["input_ids"]]), **more).logits
            total = total + torch.nn.functional.cross_entropy(logits, torch.tensor([row["label"]]))
        return total / len(rows)

    def fitted(z, pull):
        z = z.clone().requires_grad_(True)
        adam = torch.optim.Adam([z], lr=LEARNING_RATE)
        for _ in range(STEPS):
            adam.zero_grad()
            (loss(z) + pull * z.sum()).backward()
            adam.step()
            with torch.no_grad():
                z.clamp_(-MOST, MOST)
        return z.detach()

    free = fitted(initial(len(layers) * heads), 0)
    golden = {"loss": loss(None).item()}
    for name, z in (("free", free), ("opened", fitted(free, -LAMBDA)), ("closed", fitted(free, LAMBDA))):
        golden[name] = [round(gate, 9) for gate in torch.sigmoid(z).tolist()]
        golden[name + "_loss"] = round(loss(z).item(), 9)
    return golden


def main():
    folder = pathlib.Path(sys.argv[1])
    golden = {"steps": STEPS, "lambda": LAMBDA, "learning_rate": LEARNING_RATE, "seed": SEED,
              "models": {name: make(folder / "classifiers" / name) for name in MODELS}}
    (folder / "gating.json").write_text(json.dumps(golden, indent=1) + "\n")


if __name__ == "__main__":
    main()

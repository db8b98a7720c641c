#!/usr/bin/env python3
"""Writes functions.json into some folders of tests/goldens/families: what function vectors (Todd et al. 2024) are made of,
by plain loops over transformers with hooks, one prompt at a time, on prompts of random ids.

    python3 -m venv venv
    venv/bin/pip install torch==2.13.0 transformers==5.24.0
    venv/bin/python tests/goldens/make_function_goldens.py tests/goldens/families gpt2-hub llama-grouped pythia

Version 5 refuses the shapes of gemma2, which is made with 4.57.1. The project itself needs no Python, and the build does
not run this. All of it is float64 from weights widened to it; numbers have 9 significant digits.

  prompts   ids and the answer's id; probability: of the answer; right: it is the likeliest
  contexts  by prompt and layer what the output projection reads at the last position
  effects   [layer, head, prompt, probability] with the head's context at the last position replaced by that of prompt
            (prompt + 1) mod n
  vector    W_O times the context of the first prompt, summed over all heads of the first layer, without bias
  added     [layer, prompt, probability, right] with the vector added behind a layer at the last position
"""
import json
import pathlib
import sys

import numpy as np
import torch
from transformers import AutoModelForCausalLM

LENGTHS, SEED = (7, 3, 9, 5, 1), 2024


def number(value):
    return float(f"{float(value):.9g}")


def blocks_of(name, model):
    """Blocks, their output projections, and these as matrices [D, A]."""
    if name == "gpt2-hub":
        return [(block, block.attn.c_proj, block.attn.c_proj.weight.T) for block in model.transformer.h]
    if name == "pythia":
        return [(block, block.attention.dense, block.attention.dense.weight) for block in model.gpt_neox.layers]
    return [(block, block.self_attn.o_proj, block.self_attn.o_proj.weight) for block in model.model.layers]


def run(model, ids, hooks=()):
    handles = [module.register_forward_pre_hook(hook) if before else module.register_forward_hook(hook)
               for module, before, hook in hooks]
    with torch.no_grad():
        logits = model(input_ids=torch.tensor([ids])).logits[0, -1]
    for handle in handles:
        handle.remove()
    return logits.softmax(-1), int(logits.argmax())


def golden(name, folder):
    model = AutoModelForCausalLM.from_pretrained(folder, attn_implementation="eager", dtype=torch.float64).eval()
    blocks = blocks_of(name, model)
    heads = model.config.num_attention_heads
    random = np.random.default_rng(SEED)
    rows = [[int(token) for token in random.integers(3, model.config.vocab_size, length)] for length in LENGTHS]
    prompts, contexts, effects, added = [], [], [], []
    for number_of, ids in enumerate(rows):
        kept = {}
        hooks = [(projection, True, lambda _, inputs, at=at: kept.__setitem__(at, inputs[0][0, -1].clone()))
                 for at, (_, projection, _) in enumerate(blocks)]
        probabilities, best = run(model, ids, hooks)
        answer = best if number_of % 2 == 0 else int(random.integers(3, model.config.vocab_size))
        prompts.append({"ids": ids, "answer": answer, "probability": number(probabilities[answer]),
                        "right": best == answer})
        contexts.append([kept[at] for at in range(len(blocks))])
    for layer, (_, projection, _) in enumerate(blocks):
        width = len(contexts[0][layer]) // heads
        for head in range(heads):
            columns = slice(head * width, (head + 1) * width)
            for at, prompt in enumerate(prompts):
                def replaced(_, inputs, other=contexts[(at + 1) % len(prompts)][layer]):
                    changed = inputs[0].clone()
                    changed[0, -1, columns] = other[columns]
                    return (changed, *inputs[1:])
                probabilities, _ = run(model, prompt["ids"], [(projection, True, replaced)])
                effects.append([layer, head, at, number(probabilities[prompt["answer"]])])
    vector = blocks[0][2].detach() @ contexts[0][0]
    for layer, (block, _, _) in enumerate(blocks):
        for at, prompt in enumerate(prompts):
            def more(_, inputs, output):
                first = output[0] if isinstance(output, tuple) else output
                changed = first.clone()
                changed[0, -1] += vector
                return (changed, *output[1:]) if isinstance(output, tuple) else changed
            probabilities, best = run(model, prompt["ids"], [(block, False, more)])
            added.append([layer, at, number(probabilities[prompt["answer"]]), best == prompt["answer"]])
    return {"prompts": prompts,
            "contexts": [[[number(x) for x in layer] for layer in prompt] for prompt in contexts], "effects": effects,
            "vector": [number(x) for x in vector], "added": added}


def main():
    families = pathlib.Path(sys.argv[1])
    for name in sys.argv[2:]:
        found = golden(name, families / name)
        (families / name / "functions.json").write_text(json.dumps(found) + "\n")
        print(name, len(found["effects"]), "effects")


if __name__ == "__main__":
    main()

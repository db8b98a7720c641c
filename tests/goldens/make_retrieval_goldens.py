#!/usr/bin/env python3
"""Writes retrieval.json into some folders of tests/goldens/families: what retrieval scores (Wu et al. 2024) and QR scores
(Zhang et al. 2025) are made of, by plain loops over transformers with output_attentions, one prompt at a time and without
cache, on prompts of random ids.

    python3 -m venv venv
    venv/bin/pip install torch==2.13.0 transformers==5.24.0
    venv/bin/python tests/goldens/make_retrieval_goldens.py tests/goldens/families gpt2-hub llama-grouped pythia

Version 5 refuses the shapes of gemma2, which is made with 4.57.1. The project itself needs no Python, and the build does
not run this. All of it is float64 from weights widened to it; numbers have 9 significant digits. Random models hardly
copy: prompts are of the few ids that the model says most often, and of the seeds from 0 on the first one counts whose
prompts have at least LEAST copies.

  prompts   ids; needle, answer, question: [first, end) in them; null_ids and null_question: with another question;
            said: the greedy continuation
  heads     [layer, head, prompt, copied, steps, question, null]: 0 or 1 for each token of the answer, whether it is said
            while the largest weight is on it; steps at which that is so; attention of the question's tokens to the
            needle, sum over keys and mean over tokens; that of the null question's
"""
import collections
import json
import pathlib
import sys

import numpy as np
import torch
from transformers import AutoModelForCausalLM

LENGTHS, NEW_TOKENS, IDS, LEAST, SEEDS = (10, 8, 9, 10, 9), 4, 4, 3, 100


def number(value):
    return float(f"{float(value):.9g}")


def run(model, ids):
    with torch.no_grad():
        return model(input_ids=torch.tensor([ids]), output_attentions=True)


def to_needle(attentions, prompt, question):
    """By layer and head: sum over the needle's keys, mean over the question's tokens."""
    (first, end), (begin, until) = prompt["needle"], question
    return [layer[0, :, begin:until, first:end].sum(-1).mean(-1) for layer in attentions]


def often_said(model):
    random, said = np.random.default_rng(0), collections.Counter()
    for _ in range(40):
        ids = [int(token) for token in random.integers(3, model.config.vocab_size, 8)]
        said[int(run(model, ids).logits[0, -1].argmax())] += 1
    said.pop(model.config.eos_token_id, None)
    return [token for token, _ in said.most_common(IDS)]


def drawn(random, known, vocabulary):
    prompts = []
    for at, length in enumerate(LENGTHS):
        ids = [int(token) for token in random.choice(known, length)]
        null = [int(token) for token in random.integers(3, vocabulary, 2)]
        begin = length - int(random.integers(2, 4))  # of the question; something of the prompt stands behind it
        prompts.append({"ids": ids, "needle": [0, begin - 1], "answer": [at % 2, begin - 1], "question": [begin, length - 1],
                        "null_ids": ids[:begin] + null, "null_question": [begin, begin + 2]})
    return prompts


def golden(model, known, seed):
    prompts, heads = drawn(np.random.default_rng(seed), known, model.config.vocab_size), []
    layers, width = model.config.num_hidden_layers, model.config.num_attention_heads
    for at, prompt in enumerate(prompts):
        ids, (first, end) = list(prompt["ids"]), prompt["answer"]
        copied = [[[0] * (end - first) for _ in range(width)] for _ in range(layers)]
        steps = [[0] * width for _ in range(layers)]
        for _ in range(NEW_TOKENS):
            found = run(model, ids)
            ids.append(int(found.logits[0, -1].argmax()))
            for layer in range(layers):
                for head in range(width):
                    key = int(found.attentions[layer][0, head, -1].argmax())
                    if first <= key < end and ids[key] == ids[-1]:
                        copied[layer][head][key - first] = 1
                        steps[layer][head] += 1
            if ids[-1] == model.config.eos_token_id:
                break
        prompt["said"] = ids[len(prompt["ids"]):]
        asked = to_needle(run(model, prompt["ids"]).attentions, prompt, prompt["question"])
        null = to_needle(run(model, prompt["null_ids"]).attentions, prompt, prompt["null_question"])
        for layer in range(layers):
            for head in range(width):
                heads.append([layer, head, at, copied[layer][head], steps[layer][head], number(asked[layer][head]),
                              number(null[layer][head])])
    return {"prompts": prompts, "heads": heads}


def main():
    families = pathlib.Path(sys.argv[1])
    for name in sys.argv[2:]:
        folder = families / name
        model = AutoModelForCausalLM.from_pretrained(folder, attn_implementation="eager", dtype=torch.float64).eval()
        known = often_said(model)
        for seed in range(SEEDS):
            found = golden(model, known, seed)
            copies = sum(sum(head[3]) for head in found["heads"])
            if copies >= LEAST:
                break
        (folder / "retrieval.json").write_text(json.dumps(found) + "\n")
        print(name, "seed", seed, copies, "copies", sum(head[4] for head in found["heads"]), "steps")


if __name__ == "__main__":
    main()

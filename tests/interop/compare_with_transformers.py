#!/usr/bin/env python3
"""Opens a model folder in Hugging Face transformers and compares its outputs with headscope-cli's.

    python3 tests/interop/compare_with_transformers.py --model FOLDER --source FILE [--limit N] [--beams K]
    python3 tests/interop/compare_with_transformers.py --model FOLDER --data FILE.tsv --text-column NAME
                                                       [--pair-column NAME] [--limit N]

The first compares translations (ids and text), the second a classifier's logits on texts or pairs of texts, tokenized by
each side on its own; `--tolerance` says by how much logits may differ. Both take [--cli build/dev/bin/headscope-cli].

Needs torch, transformers, sentencepiece (pip install torch transformers sentencepiece); the project itself needs no
Python. Prints how many outputs are equal, every one that is not, and ends with 1 if there is any.
Tried with transformers 4.44.2 and torch 2.13.0.
"""
import argparse
import csv
import inspect
import json
import subprocess
import sys

import torch
import transformers


def ours(arguments, data):
    command = [arguments.cli, "predict", "--model", arguments.model, "--quiet", "--limit", str(arguments.limit), *data]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    return [json.loads(line) for line in lines]


def translations(arguments, sentences):
    tokenizer = transformers.MarianTokenizer.from_pretrained(arguments.model)
    model = transformers.MarianMTModel.from_pretrained(arguments.model, torch_dtype=torch.float32).eval()
    for sentence in sentences:
        batch = tokenizer([sentence], return_tensors="pt")
        with torch.no_grad():
            ids = model.generate(**batch, num_beams=arguments.beams)[0].tolist()[1:]
        yield ids, tokenizer.decode(ids, skip_special_tokens=True)


def compare_translations(arguments):
    with open(arguments.source, encoding="utf-8") as file:
        sentences = [line.rstrip("\n") for line in file][:arguments.limit]
    mine = ours(arguments, ["--source", arguments.source, "--beams", str(arguments.beams)])
    different = 0
    for index, (ids, text) in enumerate(translations(arguments, sentences)):
        if mine[index]["tokens"] != ids or mine[index]["text"] != text:
            different += 1
            print(f"{index}: {sentences[index]}\n  headscope:    {mine[index]['text']}\n  transformers: {text}")
    return different, len(sentences), "translations are equal"


def compare_logits(arguments):
    with open(arguments.data, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))[:arguments.limit]
    columns = ["--text-column", arguments.text_column, "--pair-column", arguments.pair_column or "none",
               "--label-column", "none"]
    mine = ours(arguments, ["--data", arguments.data, *columns])
    tokenizer = transformers.AutoTokenizer.from_pretrained(arguments.model)
    model = transformers.AutoModelForSequenceClassification.from_pretrained(arguments.model,
                                                                            torch_dtype=torch.float32).eval()
    known = inspect.signature(model.forward).parameters  # DistilBERT knows no token types
    different = 0
    largest = 0.0
    for index, row in enumerate(rows):
        texts = [row[arguments.text_column]] + ([row[arguments.pair_column]] if arguments.pair_column else [])
        batch = tokenizer(*texts, return_tensors="pt", truncation=True, max_length=arguments.longest)
        inputs = {name: tensor for name, tensor in batch.items() if name in known}
        with torch.no_grad():
            theirs = model(**inputs).logits[0].tolist()
        difference = max(abs(a - b) for a, b in zip(theirs, mine[index]["logits"], strict=True))
        largest = max(largest, difference)
        if difference > arguments.tolerance:
            different += 1
            print(f"{index}: {' | '.join(texts)}\n  headscope:    {mine[index]['logits']}\n  transformers: {theirs}")
    print(f"largest difference of a logit: {largest:.2g}")
    return different, len(rows), f"examples have equal logits (to {arguments.tolerance:g})"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True)
    parser.add_argument("--source")
    parser.add_argument("--data")
    parser.add_argument("--text-column", default="sentence")
    parser.add_argument("--pair-column")
    parser.add_argument("--limit", type=int, default=100)
    parser.add_argument("--beams", type=int, default=1)
    parser.add_argument("--longest", type=int, default=512, help="the model's positions")
    parser.add_argument("--tolerance", type=float, default=1e-5)
    parser.add_argument("--cli", default="build/dev/bin/headscope-cli")
    arguments = parser.parse_args()
    if bool(arguments.source) == bool(arguments.data):
        parser.error("give either --source or --data")
    different, total, what = (compare_translations if arguments.source else compare_logits)(arguments)
    print(f"{total - different} of {total} {what} "
          f"(transformers {transformers.__version__}, torch {torch.__version__})")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Lets headscope-cli write a model without some heads in every form, opens the folders in Hugging Face transformers, and
compares their outputs with Headscope's.

    python3 tests/interop/load_pruned_folders.py --model FOLDER --source FILE [--limit N] [--beams K]
    python3 tests/interop/load_pruned_folders.py --model FOLDER --data FILE.tsv --text-column NAME [--limit N]

`--mask HEADS` names the heads to remove; without it they are drawn (`--seed`), one of the layers losing all of its heads.
The forms: full shape and full shape with compensation (any version of transformers); small, and small saved from small, in
two steps (transformers before 5, families that it can prune; for the others the script checks that transformers refuses
the folder instead of computing something else with it). BERT and its relatives also come from the other side: transformers'
own prune_heads and save_pretrained, opened by Headscope. Each time the outputs are compared with those of Headscope on the
original model under the same mask as well, so that nobody is wrong in company.

Ends with 1 if anything differs. Needs what compare_with_transformers.py needs. Tried with transformers 4.44.2, torch 2.13.0.
"""
import argparse
import csv
import inspect
import json
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

import torch
import transformers


class Comparison:
    """The same examples through headscope-cli and through transformers."""

    def __init__(self, arguments):
        self.arguments = arguments
        self.translates = bool(arguments.source)
        with open(arguments.source or arguments.data, encoding="utf-8", newline="") as file:
            if self.translates:
                self.texts = [line.rstrip("\n") for line in file][:arguments.limit]
            else:
                rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))[:arguments.limit]
                self.texts = [row[arguments.text_column] for row in rows]

    def data_options(self):
        if self.translates:
            return ["--source", self.arguments.source, "--beams", str(self.arguments.beams)]
        return ["--data", self.arguments.data, "--text-column", self.arguments.text_column, "--pair-column", "none",
                "--label-column", "none"]

    def cli(self, command, *options):
        run = subprocess.run([self.arguments.cli, command, "--quiet", *options], capture_output=True, text=True)
        if run.returncode != 0:
            sys.exit(f"headscope-cli {command} {' '.join(options)}: {run.stderr}")
        return run.stdout

    def ours(self, folder, mask=""):
        options = ["--model", str(folder), "--limit", str(self.arguments.limit), *self.data_options()]
        if mask:
            options += ["--mask", mask]
        lines = [json.loads(line) for line in self.cli("predict", *options).splitlines()]
        return [line["tokens"] if self.translates else line["logits"] for line in lines]

    def load(self, folder):
        kind = (transformers.MarianMTModel if self.translates
                else transformers.AutoModelForSequenceClassification)
        return kind.from_pretrained(folder, torch_dtype=torch.float32).eval()

    def theirs(self, model):
        tokenizer = (transformers.MarianTokenizer if self.translates
                     else transformers.AutoTokenizer).from_pretrained(self.arguments.model)
        known = inspect.signature(model.forward).parameters
        outputs = []
        for text in self.texts:
            batch = tokenizer([text], return_tensors="pt", truncation=True, max_length=self.arguments.longest)
            with torch.no_grad():
                if self.translates:
                    outputs.append(model.generate(**batch, num_beams=self.arguments.beams)[0].tolist()[1:])
                else:
                    outputs.append(model(**{k: v for k, v in batch.items() if k in known}).logits[0].tolist())
        return outputs

    def differing(self, a, b):
        """How many examples differ, and by how much at most."""
        if self.translates:
            return sum(x != y for x, y in zip(a, b, strict=True)), None
        distances = [max(abs(p - q) for p, q in zip(x, y, strict=True)) for x, y in zip(a, b, strict=True)]
        return sum(distance > self.arguments.tolerance for distance in distances), max(distances)


def drawn_mask(arguments, comparison):
    inspected = json.loads(comparison.cli("inspect", "--model", arguments.model))
    generator = random.Random(arguments.seed)
    heads = []
    for kind in inspected["attention"]:
        empty = generator.randrange(kind["layers"])
        for layer, count in enumerate(kind["heads"]):
            numbers = list(range(count))
            # Cross-attention keeps a head everywhere: without it translations say little.
            gone = numbers if layer == empty and kind["kind"] != "cross" else generator.sample(numbers, count // 4)
            heads += [f"{kind['kind']}.{layer}.{head}" for head in sorted(gone)]
    return ",".join(heads)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True)
    parser.add_argument("--source")
    parser.add_argument("--data")
    parser.add_argument("--text-column", default="sentence")
    parser.add_argument("--limit", type=int, default=100)
    parser.add_argument("--beams", type=int, default=1)
    parser.add_argument("--longest", type=int, default=512, help="the model's positions")
    parser.add_argument("--mask")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tolerance", type=float, default=1e-5)
    parser.add_argument("--reference", help="translations of --source, which compensation forces the decoder to say")
    parser.add_argument("--cli", default="build/dev/bin/headscope-cli")
    arguments = parser.parse_args()
    if bool(arguments.source) == bool(arguments.data):
        parser.error("give either --source or --data")
    comparison = Comparison(arguments)
    mask = arguments.mask or drawn_mask(arguments, comparison)
    print(f"without {mask}")
    failures = 0

    def report(what, a, b):
        nonlocal failures
        differing, largest = comparison.differing(a, b)
        failures += differing > 0
        distance = "" if largest is None else f", largest difference {largest:.2g}"
        print(f"{what}: {len(a) - differing} of {len(a)} outputs are equal{distance}")

    with tempfile.TemporaryDirectory() as directory:
        root = pathlib.Path(directory)

        def export(name, model, heads, *options):
            comparison.cli("prune", "--model", str(model), "--export", str(root / name), "--export-mask", heads, *options)
            return root / name

        expected = comparison.ours(arguments.model, mask)
        whole = comparison.ours(arguments.model)
        print(f"the mask changes {sum(a != b for a, b in zip(expected, whole))} of {len(whole)} outputs")
        full = export("full", arguments.model, mask)
        report("full shape, transformers against Headscope's masked model", comparison.theirs(comparison.load(full)), expected)

        heads = mask.split(",")
        first, second = ",".join(heads[::2]), ",".join(heads[1::2])
        small = export("small", arguments.model, mask, "--export-form", "small")
        report("small, Headscope against its masked model", comparison.ours(small), expected)
        twice = export("twice", export("once", arguments.model, first, "--export-form", "small"), second,
                       "--export-form", "small")
        report("small in two steps, Headscope", comparison.ours(twice), expected)
        note = json.loads((small / "heads.json").read_text())["opens_in"]
        if "transformers" in note.split(":")[0]:
            report("small, transformers", comparison.theirs(comparison.load(small)), expected)
            report("small in two steps, transformers", comparison.theirs(comparison.load(twice)), expected)
        else:
            try:
                comparison.load(small)
                failures += 1
                print(f"small: transformers opened it, though heads.json says \"{note}\"")
            except Exception as error:  # whatever it is, it is no wrong answer
                print(f"small: transformers refuses it, as heads.json says ({type(error).__name__})")

        data = (["--source", arguments.source, "--reference", arguments.reference] if comparison.translates
                else comparison.data_options())
        if not comparison.translates or arguments.reference:
            compensated = [export(f"compensated-{form}", arguments.model, mask, "--export-form", form, "--compensate", *data)
                           for form in ("full", "small")]
            mine = [comparison.ours(folder) for folder in compensated]
            report("compensated, Headscope small against full", *mine)
            report("compensated, full shape, transformers", comparison.theirs(comparison.load(compensated[0])), mine[0])

        if not comparison.translates and "transformers" in note.split(":")[0]:
            theirs = comparison.load(arguments.model)
            layers = {}
            for head in heads:
                _, layer, number = head.split(".")
                layers.setdefault(int(layer), []).append(int(number))
            theirs.prune_heads(layers)
            theirs.save_pretrained(root / "theirs")
            for file in pathlib.Path(arguments.model).iterdir():
                if file.suffix in {".txt", ".json"} and not (root / "theirs" / file.name).exists():
                    shutil.copyfile(file, root / "theirs" / file.name)
            report("pruned by transformers, Headscope", comparison.ours(root / "theirs"), expected)

    print(f"transformers {transformers.__version__}, torch {torch.__version__}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

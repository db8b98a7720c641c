#!/usr/bin/env python3
"""Headscope beside CTranslate2 and transformers, in turns, in one run: medians and their ratios.

    peers.py MODEL SOURCE REFERENCE [--ctranslate2 FOLDER] [--limit N] [--runs 3] [--threads 2] [--cli PROGRAM]
    peers.py MODEL --in TABLE.tsv [...]

Translation: outputs from scratch, greedy and with 4 beams, and the ablation sweep of all heads, greedy and with 4 beams.
Classification: the sweep. Headscope's times of sweeps are those of whole commands, from start to exit, tests of significance
included; of outputs, what `evaluate` says of its work and its metrics (the whole command in brackets). A peer's is that of its
work alone, with the model loaded and warm, in float32: for a sweep one evaluation for every head and one for the full model,
of which one is timed. FOLDER is the model as ct2-transformers-converter writes it; it runs with
one thread in each of --threads workers, transformers with --threads threads and sentences sorted by length. Without FOLDER
it is left out. Needs transformers and torch, and ctranslate2 for FOLDER.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import torch
from transformers import AutoModelForSequenceClassification, MarianMTModel, MarianTokenizer

from transformers_loop import classifier_evaluation, classifier_rows, lines_of, source_ids, translation_evaluation


def seconds_of(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


class Headscope:
    def __init__(self, arguments):
        self.program = arguments.cli
        self.seconds = []  # of the work alone, run by run
        self.data = ["--model", arguments.model, "--threads", str(arguments.threads)]
        self.data += (["--data", arguments.table] if arguments.table
                      else ["--source", arguments.source, "--reference", arguments.reference])
        if arguments.limit:
            self.data += ["--limit", str(arguments.limit)]

    def run(self, command, *options):
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "out.json")
            subprocess.run([self.program, command, *self.data, *options, "--out", out], check=True,
                           stderr=subprocess.DEVNULL)
            with open(out, encoding="utf-8") as file:
                self.seconds.append(json.load(file).get("seconds"))

    def work(self, command, *options):
        return lambda: self.run(command, *options)

    def heads(self):
        text = subprocess.run([self.program, "inspect", "--model", self.data[1]], check=True, capture_output=True,
                              text=True).stdout
        return sum(sum(block["heads"]) for block in json.loads(text)["attention"])


def ctranslate2_translation(arguments, beams):
    import ctranslate2
    tokenizer = MarianTokenizer.from_pretrained(arguments.model)
    lines = lines_of(arguments.source)[:arguments.limit or None]
    sources = [tokenizer.convert_ids_to_tokens(ids) for ids in tokenizer(lines)["input_ids"]]
    with open(os.path.join(arguments.ctranslate2, "config.json"), encoding="utf-8") as file:
        if json.load(file).get("add_source_eos"):
            sources = [tokens[:-1] for tokens in sources]
    translator = ctranslate2.Translator(arguments.ctranslate2, device="cpu", compute_type="float32",
                                        inter_threads=arguments.threads, intra_threads=1)
    return lambda: translator.translate_batch(sources, beam_size=beams, max_batch_size=4096, batch_type="tokens",
                                              max_decoding_length=127)


def in_turns(works, runs):
    """Medians of the seconds of works, one run of each after the other; the first run of all is not counted."""
    times = {name: [] for name in works}
    for run in range(runs + 1):
        for name, work in works.items():
            seconds = seconds_of(work)
            if run > 0:
                times[name].append(seconds)
            print(f"  {name}: {seconds:.2f} s", file=sys.stderr, flush=True)
    return {name: statistics.median(values) for name, values in times.items()}


def report(what, ours, peers, command=None):
    row = f"{what:34} Headscope {ours:8.2f} s" + (f" ({command:.2f})" if command else "")
    for name, seconds in peers.items():
        row += f"   {name} {seconds:8.2f} s = {seconds / ours:5.2f} x"
    print(row, flush=True)


def translation(arguments):
    headscope = Headscope(arguments)
    heads = headscope.heads()
    model = MarianMTModel.from_pretrained(arguments.model, attn_implementation="eager").eval()
    encoded = source_ids(arguments.model, [arguments.source])[:arguments.limit or None]
    for beams in (1, 4):
        name = "greedy" if beams == 1 else f"{beams} beams"
        works = {"Headscope": headscope.work("evaluate", "--beams", str(beams))}
        if arguments.ctranslate2:
            works["CTranslate2"] = ctranslate2_translation(arguments, beams)
        works["transformers"] = translation_evaluation(model, encoded, 50, 128, beams)
        times = in_turns(works, arguments.runs)
        command = times.pop("Headscope")
        report(f"outputs, {name}", statistics.median(headscope.seconds[-arguments.runs:]), times, command)
        sweep = in_turns({"Headscope": headscope.work("ablate", "--beams", str(beams))}, 1)["Headscope"]
        report(f"sweep of {heads} heads, {name}", sweep, {peer: (heads + 1) * t for peer, t in times.items()})


def classification(arguments):
    headscope = Headscope(arguments)
    heads = headscope.heads()
    model = AutoModelForSequenceClassification.from_pretrained(arguments.model, attn_implementation="eager").eval()
    encoded, labels = (part[:arguments.limit or None] for part in classifier_rows(arguments.model, arguments.table))
    works = {"Headscope": headscope.work("ablate"), "transformers": classifier_evaluation(model, encoded, labels, 64)}
    times = in_turns(works, arguments.runs)
    ours = times.pop("Headscope")
    report(f"sweep of {heads} heads, classifier", ours, {peer: (heads + 1) * t for peer, t in times.items()})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("source", nargs="?")
    parser.add_argument("reference", nargs="?")
    parser.add_argument("--in", dest="table")
    parser.add_argument("--ctranslate2")
    parser.add_argument("--limit", type=int, default=0)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--cli", default="build/dev/bin/headscope-cli")
    arguments = parser.parse_args()
    if not arguments.table and not arguments.reference:
        parser.error("SOURCE and REFERENCE, or --in TABLE")
    torch.set_num_threads(arguments.threads)
    with torch.inference_mode():
        (classification if arguments.table else translation)(arguments)


if __name__ == "__main__":
    main()

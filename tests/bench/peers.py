#!/usr/bin/env python3
"""Headscope beside CTranslate2 and transformers, in turns, in one run: medians and their ratios.

    peers.py MODEL SOURCE REFERENCE [--ctranslate2] [--sizes 10,300] [--sweeps 300] [--runs 3] [--threads 2] [--cli PROGRAM]
    peers.py MODEL --in TABLE.tsv [--onnxruntime] [...]

Translation: outputs from scratch of the first sentences of each size of --sizes (0: all), greedy and with 4 beams, and the
ablation sweeps of all heads for the sizes of --sweeps. Classification: the sweep. Headscope's times of sweeps are those of whole commands, from start to exit, tests of significance
included; of outputs, what `evaluate` says of its work and its metrics (the whole command in brackets). A peer's is that of its
work alone, with the model loaded and warm, in float32: for a sweep one evaluation for every head and one for the full model,
of which one is timed. CTranslate2 runs with one thread in each of --threads workers, transformers and onnxruntime with
--threads threads and sentences sorted by length.

CTranslate2's converter takes Marian's decoders to start from an embedding of zeros, as Marian's own models do; models that
transformers trained start from the padding token's. The model is converted with that embedding here, and the padding token
gets a bias that keeps it out of outputs (bad_words_ids). How many outputs then are ours, token by token, is printed.

Needs transformers and torch, ctranslate2 for --ctranslate2, onnx and onnxruntime for --onnxruntime.
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

from transformers_loop import (classifier_evaluation, classifier_rows, lines_of, padded, source_ids,
                               translation_evaluation)


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

    def output(self, command, size, *options):
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "out.json")
            subprocess.run([self.program, command, *self.data, "--limit", str(size), *options, "--out", out], check=True,
                           stderr=subprocess.DEVNULL)
            with open(out, encoding="utf-8") as file:
                return file.read()

    def work(self, command, size, *options):
        def run():
            self.seconds.append(json.loads(self.output(command, size, *options)).get("seconds"))

        return run

    def tokens(self, size, beams):
        lines = self.output("predict", size, "--beams", str(beams)).splitlines()
        return [json.loads(line)["tokens"] for line in lines]

    def heads(self):
        text = subprocess.run([self.program, "inspect", "--model", self.data[1]], check=True, capture_output=True,
                              text=True).stdout
        return sum(sum(block["heads"]) for block in json.loads(text)["attention"])


def ctranslate2_translator(arguments, folder):
    """The model converted into FOLDER, its decoder starting from the embedding of the padding token."""
    import ctranslate2
    import numpy
    from ctranslate2.converters import transformers as converters

    class Loader(converters.MarianMTLoader):
        def set_decoder(self, spec, decoder):
            converters.BartLoader.set_decoder(self, spec, decoder)

        def set_config(self, config, model, tokenizer):
            super().set_config(config, model, tokenizer)
            config.decoder_start_token = tokenizer.pad_token

        def get_vocabulary(self, model, tokenizer):
            return converters.BartLoader.get_vocabulary(self, model, tokenizer)

        def _remove_pad_weights(self, spec):
            projection = spec.decoder.projection
            bias = (numpy.array(projection.bias, dtype=numpy.float32) if projection.has_bias()
                    else numpy.zeros(projection.weight.shape[0], dtype=numpy.float32))
            bias[-1] = -1e9
            projection.bias = bias

    converters._MODEL_LOADERS["MarianConfig"] = Loader()
    converters.TransformersConverter(arguments.model).convert(folder, force=True)
    return ctranslate2.Translator(folder, device="cpu", compute_type="float32", inter_threads=arguments.threads,
                                  intra_threads=1)


class CTranslate2:
    def __init__(self, arguments, folder):
        self.tokenizer = MarianTokenizer.from_pretrained(arguments.model)
        self.translator = ctranslate2_translator(arguments, folder)
        self.outputs = []

    def translation(self, lines, beams):
        sources = [self.tokenizer.convert_ids_to_tokens(ids) for ids in self.tokenizer(lines)["input_ids"]]

        def translate():
            results = self.translator.translate_batch(sources, beam_size=beams, max_batch_size=4096, batch_type="tokens",
                                                      max_decoding_length=127)
            self.outputs = [result.hypotheses[0] for result in results]

        return translate

    def same_as(self, tokens):
        """How many of the outputs of the last run consist of TOKENS; ours end with the end token."""
        ids = map(self.tokenizer.convert_tokens_to_ids, self.outputs)
        return sum(theirs == ours[:-1] for theirs, ours in zip(ids, tokens))


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
    lines = lines_of(arguments.source)
    model = MarianMTModel.from_pretrained(arguments.model, attn_implementation="eager").eval()
    encoded = source_ids(arguments.model, [arguments.source])
    with tempfile.TemporaryDirectory() as folder:
        ctranslate2 = CTranslate2(arguments, folder) if arguments.ctranslate2 else None
        for size in arguments.sizes:
            size = size or len(lines)
            for beams in (1, 4):
                name = "greedy" if beams == 1 else f"{beams} beams"
                works = {"Headscope": headscope.work("evaluate", size, "--beams", str(beams))}
                if ctranslate2:
                    works["CTranslate2"] = ctranslate2.translation(lines[:size], beams)
                if not arguments.no_transformers:
                    works["transformers"] = translation_evaluation(model, encoded[:size], 50, 128, beams)
                times = in_turns(works, arguments.runs)
                command = times.pop("Headscope")
                report(f"{size} sentences, {name}", statistics.median(headscope.seconds[-arguments.runs:]), times, command)
                if ctranslate2:
                    same = ctranslate2.same_as(headscope.tokens(size, beams))
                    print(f"  outputs of CTranslate2 with our tokens: {same} of {size}", flush=True)
                if size not in arguments.sweeps:
                    continue
                sweep = in_turns({"Headscope": headscope.work("ablate", size, "--beams", str(beams))}, 1)["Headscope"]
                report(f"sweep of {heads} heads, {size} sentences, {name}", sweep,
                       {peer: (heads + 1) * t for peer, t in times.items()})


def onnx_evaluation(model, encoded, batch_size, threads):
    """Classification by onnxruntime, of sentences sorted by length."""
    import onnxruntime
    with tempfile.NamedTemporaryFile(suffix=".onnx") as file:
        example = (torch.ones(2, 8, dtype=torch.long), torch.ones(2, 8, dtype=torch.long))
        axes = {0: "rows", 1: "tokens"}
        torch.onnx.export(model, example, file.name, input_names=["input_ids", "attention_mask"], output_names=["logits"],
                          dynamic_axes={"input_ids": axes, "attention_mask": axes}, dynamo=False)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        session = onnxruntime.InferenceSession(file.name, options, providers=["CPUExecutionProvider"])
    order = sorted(range(len(encoded)), key=lambda i: len(encoded[i]))

    def evaluate():
        for first in range(0, len(order), batch_size):
            batch = padded([encoded[i] for i in order[first:first + batch_size]], model.config.pad_token_id or 0, "cpu")
            session.run(["logits"], {name: values.numpy() for name, values in batch.items()})

    return evaluate


def classification(arguments):
    headscope = Headscope(arguments)
    heads = headscope.heads()
    model = AutoModelForSequenceClassification.from_pretrained(arguments.model, attn_implementation="eager").eval()
    encoded, labels = classifier_rows(arguments.model, arguments.table)
    for size in arguments.sizes:
        size = size or len(encoded)
        works = {"Headscope": headscope.work("ablate", size)}
        if not arguments.no_transformers:
            works["transformers"] = classifier_evaluation(model, encoded[:size], labels[:size], 64)
        if arguments.onnxruntime:
            works["onnxruntime"] = onnx_evaluation(model, encoded[:size], 64, arguments.threads)
        times = in_turns(works, arguments.runs)
        ours = times.pop("Headscope")
        report(f"sweep of {heads} heads, {size} texts", ours, {peer: (heads + 1) * t for peer, t in times.items()})


def sizes(text):
    return [int(size) for size in text.split(",")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("source", nargs="?")
    parser.add_argument("reference", nargs="?")
    parser.add_argument("--in", dest="table")
    parser.add_argument("--ctranslate2", action="store_true")
    parser.add_argument("--onnxruntime", action="store_true")
    parser.add_argument("--no-transformers", action="store_true")
    parser.add_argument("--sizes", type=sizes, default=[0])
    parser.add_argument("--sweeps", type=sizes, default=[])
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

#!/usr/bin/env python3
"""One evaluation per head with Hugging Face's transformers: what the sweep of headscope-sweep is compared with.

    transformers_loop.py MODEL_DIR --in TABLE.tsv [--heads 4] [--threads 2]
    transformers_loop.py MODEL_DIR SOURCE REFERENCE [--heads 4] [--threads 2]

A head is taken out by zeroing its part of the input of the attention's output projection. Sentences are sorted by
length and run in batches of 50 (translation, greedy) or 64 (classification). Only --heads heads of every kind are
measured; the sweep's time is their mean times the number of heads. Written for transformers 4.44.2 and torch 2.13.
"""
import argparse
import csv
import gzip
import time

import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer, MarianMTModel, MarianTokenizer


def lines_of(path):
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt", encoding="utf-8") as file:
        return [line.rstrip("\n") for line in file]


def projections(model):
    """(kind, layer, output projection, heads) of every attention."""
    config = model.config
    if hasattr(model, "bert"):
        for i, layer in enumerate(model.bert.encoder.layer):
            yield "encoder", i, layer.attention.output.dense, config.num_attention_heads
        return
    for i, layer in enumerate(model.model.encoder.layers):
        yield "encoder", i, layer.self_attn.out_proj, config.encoder_attention_heads
    for i, layer in enumerate(model.model.decoder.layers):
        yield "decoder", i, layer.self_attn.out_proj, config.decoder_attention_heads
        yield "cross", i, layer.encoder_attn.out_proj, config.decoder_attention_heads


def without_head(projection, head, heads):
    def zero(_, inputs):
        context = inputs[0].clone()
        width = context.shape[-1] // heads
        context[..., head * width:(head + 1) * width] = 0
        return (context,)

    return projection.register_forward_pre_hook(zero)


def classifier_evaluation(folder, table, limit=0):
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForSequenceClassification.from_pretrained(folder, attn_implementation="eager").eval()
    with open(table, encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))[:limit or None]
    encoded = tokenizer([row["sentence"] for row in rows])["input_ids"]
    order = sorted(range(len(rows)), key=lambda i: len(encoded[i]))
    labels = [int(row["label"]) for row in rows]

    def evaluate():
        right = 0
        for first in range(0, len(order), 64):
            members = order[first:first + 64]
            batch = tokenizer.pad({"input_ids": [encoded[i] for i in members]}, return_tensors="pt")
            predicted = model(**batch).logits.argmax(-1).tolist()
            right += sum(p == labels[i] for p, i in zip(predicted, members))
        return f"{right} of {len(order)} right"

    return model, evaluate


def translation_evaluation(folder, source, beams=1, limit=0):
    tokenizer = MarianTokenizer.from_pretrained(folder)
    model = MarianMTModel.from_pretrained(folder, attn_implementation="eager").eval()
    encoded = tokenizer(lines_of(source)[:limit or None])["input_ids"]
    order = sorted(range(len(encoded)), key=lambda i: len(encoded[i]))

    def evaluate():
        tokens = 0
        for first in range(0, len(order), 50):
            members = order[first:first + 50]
            batch = tokenizer.pad({"input_ids": [encoded[i] for i in members]}, return_tensors="pt")
            output = model.generate(**batch, num_beams=beams, do_sample=False, max_length=128)
            tokens += int((output != model.config.pad_token_id).sum())
        return f"{tokens} tokens"

    return model, evaluate


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("files", nargs="*")
    parser.add_argument("--in", dest="table")
    parser.add_argument("--heads", type=int, default=2)
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    if arguments.table:
        model, evaluate = classifier_evaluation(arguments.model, arguments.table)
    else:
        model, evaluate = translation_evaluation(arguments.model, arguments.files[0])
    with torch.inference_mode():
        evaluate()  # warm
        seconds, measured, total = 0.0, 0, 0
        kinds = {}
        for kind, layer, projection, heads in projections(model):
            total += heads
            for head in range(heads):
                if kinds.get(kind, 0) >= arguments.heads:
                    break
                kinds[kind] = kinds.get(kind, 0) + 1
                hook = without_head(projection, head, heads)
                start = time.perf_counter()
                what = evaluate()
                elapsed = time.perf_counter() - start
                hook.remove()
                print(f"{kind}.{layer}.{head}: {what}, {elapsed:.2f} s", flush=True)
                seconds += elapsed
                measured += 1
    print(f"one evaluation {seconds / measured:.2f} s; {total} heads and the whole model: "
          f"{seconds / measured * (total + 1):.0f} s (torch {torch.__version__})")


if __name__ == "__main__":
    main()

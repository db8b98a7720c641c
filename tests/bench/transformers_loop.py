#!/usr/bin/env python3
"""One evaluation per head with Hugging Face's transformers: what the sweep of headscope-sweep is compared with.

    transformers_loop.py MODEL_DIR --in TABLE.tsv [--heads 4] [--threads 2]
    transformers_loop.py MODEL_DIR SOURCE REFERENCE [--heads 4] [--threads 2]
    transformers_loop.py MODEL_DIR --in ROWS.jsonl          token ids, as headscope-sweep --shape writes them; also for
                                                            language models, whose texts are scored
    … --device cuda --dtype f32|bf16

A head is taken out by zeroing its part of the input of the attention's output projection. Sentences are sorted by
length and run in batches of 50 (translation, greedy) or 64 (others) unless --batch is given. Only --heads heads of every kind are
measured; the sweep's time is their mean times the number of heads. Written for transformers 4.44.2 and torch 2.13.
"""
import argparse
import csv
import gzip
import json
import time

import torch
from transformers import (AutoModelForCausalLM, AutoModelForSequenceClassification, AutoTokenizer, MarianMTModel,
                          MarianTokenizer)

LANGUAGE_MODELS = {"gpt2", "gpt_neox", "llama"}


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
    if config.model_type in LANGUAGE_MODELS:
        found = [module for name, module in model.named_modules()
                 if name.endswith((".attn.c_proj", ".attention.dense", ".self_attn.o_proj"))]
        for i, projection in enumerate(found):
            yield "decoder", i, projection, config.num_attention_heads
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


def padded(encoded, pad, device):
    longest = max(len(ids) for ids in encoded)
    ids = torch.tensor([row + [pad] * (longest - len(row)) for row in encoded])
    mask = torch.tensor([[1] * len(row) + [0] * (longest - len(row)) for row in encoded])
    return {"input_ids": ids.to(device), "attention_mask": mask.to(device)}


def classifier_rows(folder, table):
    """Token ids and labels."""
    if table.endswith(".jsonl"):
        rows = [json.loads(line) for line in lines_of(table)]
        return [row["input_ids"] for row in rows], [int(row["label"]) for row in rows]
    with open(table, encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    encoded = AutoTokenizer.from_pretrained(folder)([row["sentence"] for row in rows])["input_ids"]
    return encoded, [int(row["label"]) for row in rows]


def classifier_evaluation(model, encoded, labels, batch_size):
    order = sorted(range(len(encoded)), key=lambda i: len(encoded[i]))
    pad = model.config.pad_token_id or 0

    def evaluate():
        right = 0
        for first in range(0, len(order), batch_size):
            members = order[first:first + batch_size]
            batch = padded([encoded[i] for i in members], pad, model.device)
            predicted = model(**batch).logits.argmax(-1).tolist()
            right += sum(p == labels[i] for p, i in zip(predicted, members))
        return f"{right} of {len(order)} right"

    return evaluate


def language_evaluation(model, encoded, batch_size):
    order = sorted(range(len(encoded)), key=lambda i: len(encoded[i]))

    def evaluate():
        loss, tokens = 0.0, 0
        for first in range(0, len(order), batch_size):
            members = order[first:first + batch_size]
            batch = padded([encoded[i] for i in members], 0, model.device)
            found = torch.log_softmax(model(**batch).logits[:, :-1].float(), -1)
            wanted = batch["input_ids"][:, 1:]
            seen = batch["attention_mask"][:, 1:]
            loss -= (found.gather(2, wanted.unsqueeze(2)).squeeze(2) * seen).sum().item()
            tokens += int(seen.sum())
        return f"loss {loss / tokens:.4f} over {tokens} tokens"

    return evaluate


def source_ids(folder, files):
    if files[0].endswith(".jsonl"):
        return [json.loads(line)["input_ids"] for line in lines_of(files[0])]
    return MarianTokenizer.from_pretrained(folder)(lines_of(files[0]))["input_ids"]


def translation_evaluation(model, encoded, batch_size, max_length, beams=1):
    order = sorted(range(len(encoded)), key=lambda i: len(encoded[i]))

    def evaluate():
        tokens = 0
        for first in range(0, len(order), batch_size):
            batch = padded([encoded[i] for i in order[first:first + batch_size]], model.config.pad_token_id, model.device)
            output = model.generate(**batch, num_beams=beams, do_sample=False, max_length=max_length)
            tokens += int((output != model.config.pad_token_id).sum())
        return f"{tokens} tokens"

    return evaluate


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("files", nargs="*")
    parser.add_argument("--in", dest="table")
    parser.add_argument("--heads", type=int, default=2)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--dtype", default="f32", choices=["f32", "bf16"])
    parser.add_argument("--attention", default="eager", choices=["eager", "sdpa"])
    parser.add_argument("--batch", type=int, help="examples of a batch")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    with open(f"{arguments.model}/config.json", encoding="utf-8") as file:
        config = json.load(file)
    translates = config["model_type"] == "marian"
    predicts = config["model_type"] in LANGUAGE_MODELS
    kind = MarianMTModel if translates else AutoModelForCausalLM if predicts else AutoModelForSequenceClassification
    model = kind.from_pretrained(arguments.model, attn_implementation=arguments.attention).eval()
    model = model.to(arguments.device, torch.bfloat16 if arguments.dtype == "bf16" else torch.float32)
    batch_size = arguments.batch or (50 if translates else 64)
    if translates:
        encoded = source_ids(arguments.model, arguments.files or [arguments.table])
        evaluate = translation_evaluation(model, encoded, batch_size, min(128, config.get("max_length", 128)))
    elif predicts:
        rows = [json.loads(line) for line in lines_of(arguments.table)]
        evaluate = language_evaluation(model, [row["input_ids"] for row in rows], batch_size)
    else:
        evaluate = classifier_evaluation(model, *classifier_rows(arguments.model, arguments.table), batch_size)
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
    print(f"one evaluation {seconds / measured:.2f} s; {total} heads and the full model: "
          f"{seconds / measured * (total + 1):.0f} s (torch {torch.__version__})")


if __name__ == "__main__":
    main()

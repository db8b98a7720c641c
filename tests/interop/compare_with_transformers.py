#!/usr/bin/env python3
"""Opens a model folder in Hugging Face transformers and compares its translations with headscope-cli's.

    python3 tests/interop/compare_with_transformers.py --model FOLDER --source FILE [--limit N] [--beams K]
                                                       [--cli build/dev/bin/headscope-cli]

Needs torch, transformers, sentencepiece (pip install torch transformers sentencepiece); the project itself needs no
Python. Prints how many translations are equal, every one that is not, and ends with 1 if there is any.
Tried with transformers 4.44.2 and torch 2.13.0.
"""
import argparse
import json
import subprocess
import sys

import torch
import transformers


def ours(arguments):
    command = [arguments.cli, "predict", "--model", arguments.model, "--source", arguments.source, "--quiet",
               "--beams", str(arguments.beams), "--limit", str(arguments.limit)]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    return [json.loads(line) for line in lines]


def theirs(arguments, sentences):
    tokenizer = transformers.MarianTokenizer.from_pretrained(arguments.model)
    model = transformers.MarianMTModel.from_pretrained(arguments.model, torch_dtype=torch.float32).eval()
    for sentence in sentences:
        batch = tokenizer([sentence], return_tensors="pt")
        with torch.no_grad():
            ids = model.generate(**batch, num_beams=arguments.beams)[0].tolist()[1:]
        yield ids, tokenizer.decode(ids, skip_special_tokens=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("--limit", type=int, default=100)
    parser.add_argument("--beams", type=int, default=1)
    parser.add_argument("--cli", default="build/dev/bin/headscope-cli")
    arguments = parser.parse_args()
    with open(arguments.source, encoding="utf-8") as file:
        sentences = [line.rstrip("\n") for line in file][:arguments.limit]
    mine = ours(arguments)
    different = 0
    for index, (ids, text) in enumerate(theirs(arguments, sentences)):
        if mine[index]["tokens"] != ids or mine[index]["text"] != text:
            different += 1
            print(f"{index}: {sentences[index]}\n  headscope:    {mine[index]['text']}\n  transformers: {text}")
    print(f"{len(sentences) - different} of {len(sentences)} translations are equal "
          f"(transformers {transformers.__version__}, torch {torch.__version__})")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Writes tests/core/tokenize/goldens/subword.json: how subword-nmt cuts words with codes that it has learnt from the demo's
corpus, in both versions of its files.

    venv/bin/pip install subword-nmt==0.3.8
    venv/bin/python tests/core/tokenize/make_subword_goldens.py

The project itself needs no Python, and the build does not run this."""
import io
import json
import pathlib
import random

from subword_nmt.apply_bpe import BPE
from subword_nmt.learn_bpe import learn_bpe

ROOT = pathlib.Path(__file__).resolve().parents[3]
TEXT = (ROOT / "resources/demo/corpus/in_domain.fr").read_text(encoding="utf-8")


def main():
    learnt = io.StringIO()
    learn_bpe(io.StringIO(TEXT), learnt, 150)
    lines = learnt.getvalue().splitlines()
    assert lines[0] == "#version: 0.2"
    random.seed(1)
    words = sorted(set(TEXT.split()))
    words = random.sample(words, 40) + ["a", "é", "l'été", "xxxxxxx", "anticonstitutionnellement", "日本語", "aaaa", "les@@"]
    cases = []
    for version in ("0.2", "0.1", "none"):
        first = [] if version == "none" else [f"#version: {version}"]
        codes = "\n".join(first + lines[1:]) + "\n"
        bpe = BPE(io.StringIO(codes))
        pieces = {word: bpe.segment_tokens([word]) for word in words}
        cases.append({"codes": codes, "pieces": pieces})
    target = ROOT / "tests/core/tokenize/goldens/subword.json"
    target.write_text(json.dumps(cases, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

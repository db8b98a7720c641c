#!/usr/bin/env python3
"""Writes tests/core/tokenize/settingsgoldens.json: folders with one small tokenizer.json and what tokenizer_config.json,
special_tokens_map.json and added_tokens.json say besides, and what the tokenizers of transformers make of texts with them.

    venv457/bin/pip install transformers==4.57.1 torch
    venv457/bin/python tests/core/tokenize/make_settings_goldens.py
    venv5/bin/pip install transformers==5.24.0 torch
    venv5/bin/python tests/core/tokenize/make_settings_goldens.py

Every run writes what its version gives beside what is there ("4", "5": ids of every text, and what the ids of the first
text are decoded to, without special tokens; a text instead of a list: why that version does not open the folder). Headscope
follows the version that wrote tokenizer_config.json, "follows".
"""
import json
import os
import pathlib
import tempfile

os.environ["TRANSFORMERS_VERBOSITY"] = "error"
import transformers
from transformers import AutoTokenizer

OUT = pathlib.Path(__file__).parent / "settingsgoldens.json"
END = "<|end|>"
PIECES = [END, "<unk>", "a", "b", "c", "\u0120", "\u0120a", "ab", "<", ">", "s", "e", "p", "[", "X", "]", ".", "\u0120."]
TEXTS = ["ab .", " a b", "a<sep> b [X]c", "c <sep>ab<|end|>", "[X] a<extra>b"]


def template(before, after):
    part = lambda kind: {"Sequence": {"id": kind, "type_id": 0}}
    special = {"SpecialToken": {"id": END, "type_id": 0}}
    return {"type": "TemplateProcessing", "single": [special] * before + [part("A")] + [special] * after,
            "pair": [special] * before + [part("A"), part("B")] + [special] * after,
            "special_tokens": {END: {"id": END, "ids": [0], "tokens": [END]}} if before + after else {}}


def tokenizer(prefix=False, post=None, added=()):
    token = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    return {"version": "1.0", "truncation": None, "padding": None,
            "added_tokens": [{"id": 0, "content": END, **token}] + [{**token, **more} for more in added],
            "normalizer": None,
            "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": prefix, "trim_offsets": True, "use_regex": True},
            "post_processor": post,
            "decoder": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
            "model": {"type": "BPE", "dropout": None, "unk_token": "<unk>", "continuing_subword_prefix": None,
                      "end_of_word_suffix": None, "fuse_unk": False, "byte_fallback": False, "ignore_merges": False,
                      "vocab": {piece: i for i, piece in enumerate(PIECES)},
                      "merges": [["\u0120", "a"], ["a", "b"], ["\u0120", "."]]}}


def case(name, tokenizer_class, model_type="llama", json=None, settings=None, files=None, plain=False):
    """plain: no special tokens are named."""
    named = {} if plain else {"bos_token": END, "eos_token": END, "unk_token": "<unk>"}
    own = {"tokenizer_class": tokenizer_class} if tokenizer_class else {}
    return {"name": name, "model_type": model_type,
            "files": {"tokenizer.json": json or tokenizer(),
                      **({} if tokenizer_class is None and plain else
                         {"tokenizer_config.json": {**own, **named, **(settings or {})}}), **(files or {})}}


FAST = "PreTrainedTokenizerFast"
CASES = [
    case("prefix of GPT-2's class", "GPT2Tokenizer", "gpt2", tokenizer(True)),
    case("prefix of a model's type", None, "gpt2", tokenizer(True), plain=True),
    case("prefix of a general class", FAST, json=tokenizer(True)),
    case("prefix that is asked for", FAST, json=tokenizer(False), settings={"add_prefix_space": True}),
    case("prefix null", FAST, json=tokenizer(True), settings={"add_prefix_space": None}),
    case("prefix of the class of version 5", "TokenizersBackend", json=tokenizer(True),
         settings={"backend": "tokenizers"}),
    case("ends of GPT-NeoX", "GPTNeoXTokenizer", "gpt_neox", tokenizer(post=template(0, 1))),
    case("ends of GPT-NeoX, asked for", "GPTNeoXTokenizer", "gpt_neox",
         settings={"add_bos_token": True, "add_eos_token": True}),
    case("ends of a general class", FAST, "gpt_neox", tokenizer(post=template(1, 1)), settings={"add_bos_token": False}),
    case("ends of Gemma", "GemmaTokenizer", "gemma2"),
    case("ends of Gemma, none", "GemmaTokenizer", "gemma2", tokenizer(post=template(1, 0)),
         settings={"add_bos_token": False}),
    case("ends of Llama", "LlamaTokenizer", "llama", tokenizer(post=template(0, 1))),
    case("ends of OLMo by its type", None, "olmo", tokenizer(post=template(0, 1)), plain=True),
    case("a new token is named", FAST, settings={"additional_special_tokens": ["<sep>"]}),
    case("a known piece is named", FAST, settings={"additional_special_tokens": ["ab"]}),
    case("new padding", FAST, settings={"pad_token": "<sep>"}),
    case("a map of extra tokens", FAST, settings={"extra_special_tokens": {"sep_like_token": "<extra>"}}),
    case("special_tokens_map.json", FAST, plain=True, files={"special_tokens_map.json": {
        "eos_token": END, "unk_token": "<unk>", "pad_token": {"content": "[X]", "lstrip": True, "rstrip": False,
                                                               "normalized": False, "single_word": False},
        "additional_special_tokens": ["<sep>"]}}),
    case("special_tokens_map.json that does not count", FAST,
         settings={"added_tokens_decoder": {"0": {"content": END, "lstrip": False, "rstrip": False, "normalized": False,
                                                  "single_word": False, "special": True}}},
         files={"special_tokens_map.json": {"eos_token": END, "pad_token": "[X]"}}),
    case("added_tokens.json", FAST, files={"added_tokens.json": {"<sep>": 18, "[X]": 19}},
         settings={"pad_token": "[X]"}),
    case("flags of added_tokens_decoder", FAST,
         json=tokenizer(added=[{"id": 18, "content": "<sep>"}]),
         settings={"added_tokens_decoder": {
             "0": {"content": END, "lstrip": False, "rstrip": False, "normalized": False, "single_word": False,
                   "special": True},
             "18": {"content": "<sep>", "lstrip": True, "rstrip": True, "normalized": False, "single_word": False,
                    "special": True}}}),
    case("special tokens are cut", FAST, settings={"split_special_tokens": True, "additional_special_tokens": ["<sep>"]}),
    case("cleaned up", FAST, settings={"clean_up_tokenization_spaces": True}),
    case("cleaned up by version 5", "TokenizersBackend", settings={"clean_up_tokenization_spaces": True,
                                                                    "backend": "tokenizers"}),
]


def run(one):
    with tempfile.TemporaryDirectory() as folder:
        for name, content in one["files"].items():
            (pathlib.Path(folder) / name).write_text(json.dumps(content))
        (pathlib.Path(folder) / "config.json").write_text(json.dumps({"model_type": one["model_type"]}))
        try:
            tok = AutoTokenizer.from_pretrained(folder)
            ids = [tok(text)["input_ids"] for text in TEXTS]
            return {"ids": ids, "decoded": tok.decode(ids[0], skip_special_tokens=True)}
        except Exception as error: # the version says no
            return str(error)[:100]


def main():
    version = transformers.__version__.split(".")[0]
    before = {one["name"]: one for one in json.loads(OUT.read_text())["cases"]} if OUT.exists() else {}
    for one in CASES:
        one.update({key: value for key, value in before.get(one["name"], {}).items() if key in ("4", "5")})
        one[version] = run(one)
        one["follows"] = "5" if "backend" in one["files"].get("tokenizer_config.json", {}) else "4"
    lines = ",\n".join(json.dumps(one, ensure_ascii=False, separators=(",", ":")) for one in CASES)
    OUT.write_text('{"texts":' + json.dumps(TEXTS, ensure_ascii=False) + ',\n"cases":[\n' + lines + "\n]}\n")


main()

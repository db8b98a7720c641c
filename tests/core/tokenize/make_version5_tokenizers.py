#!/usr/bin/env python3
"""Writes tests/core/tokenize/familygoldens/NAME/version5: the tokenizer of NAME's tokenizer.json (or of its other files)
as transformers 5 saves it, and golden.json: the ids that it gives from there for the golden's texts. (Of Unigram models
they are not always those of versions 4: its classes write normalizers anew.)

    venv5/bin/pip install transformers==5.24.0 sentencepiece protobuf torch
    venv5/bin/python tests/core/tokenize/make_version5_tokenizers.py [NAME …]

Tokenizers that it does not save as a tokenizer.json get no folder; why is printed.
"""
import json
import os
import pathlib
import shutil
import sys
import tempfile

os.environ["TRANSFORMERS_VERBOSITY"] = "error"
from transformers import AutoTokenizer

GOLDENS = pathlib.Path(__file__).parent / "familygoldens"


def main():
    for name in sys.argv[1:] or sorted(path.name for path in GOLDENS.iterdir() if (path / "golden.json").exists()):
        golden = json.loads((GOLDENS / name / "golden.json").read_text())
        given = dict(src_lang=golden["languages"][0], tgt_lang=golden["languages"][1]) if golden["languages"] else {}
        source = GOLDENS / name / ("json" if (GOLDENS / name / "json").exists() else "files")
        target = GOLDENS / name / "version5"
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as out:
            try:
                shutil.copytree(source, folder, dirs_exist_ok=True)
                AutoTokenizer.from_pretrained(folder, **given).save_pretrained(out)
                files = {file: json.loads((pathlib.Path(out) / file).read_text())
                         for file in ("tokenizer.json", "tokenizer_config.json")}
                tok = AutoTokenizer.from_pretrained(out, **given)
                cases = [{"text": case["text"], "ids": tok(case["text"])["input_ids"]}
                         for case in golden["cases"] if "pair" not in case and "longest" not in case]
            except Exception as error: # whatever this version refuses
                print(f"{name:16} none: {str(error).splitlines()[0][:110]}")
                continue
        target.mkdir(exist_ok=True)
        files["tokenizer_config.json"].pop("name_or_path", None)
        files["golden.json"] = {"languages": golden["languages"], "cases": cases}
        for file, content in files.items():
            (target / file).write_text(json.dumps(content, ensure_ascii=False, separators=(",", ":")) + "\n")
        equal = sum(case["ids"] == old["ids"] for case, old in zip(cases, golden["cases"]))
        print(f"{name:16} {len(cases)} texts, {equal} with the ids of versions 4")


main()

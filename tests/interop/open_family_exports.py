#!/usr/bin/env python3
"""Lets headscope-cli write the models of tests/goldens/families without some heads (in full shape, and small those that
transformers can prune; one mask leaves a layer without heads), opens the folders in Hugging Face transformers, and compares
the logits with the goldens of the same mask.

    python3 tests/interop/open_family_exports.py [NAME ...] [--cli build/dev/bin/headscope-cli]

Ends with 1 if anything differs. Needs torch and transformers: 4.44.2 or 4.57.1, of which each opens the goldens that it
made (tests/goldens/make_family_goldens.py), not version 5; the project itself needs no Python.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import torch
import transformers

FAMILIES = pathlib.Path(__file__).parents[1] / "goldens" / "families"
TOLERANCE = 1e-5  # in proportion to the largest logit


def last_logits(model, row):
    inputs = {name: torch.tensor([ids]) for name, ids in row.items() if name.endswith("_ids")}
    with torch.no_grad():
        output = model(**inputs)
    return (output.logits if "logits" in output else output.last_hidden_state)[0, -1]


def export(cli, folder, heads, target, form):
    """Whether transformers can open what was written, as Headscope says."""
    mask = ",".join(f"{kind}.{layer}.{head}" for kind, layer, head in heads)
    run = subprocess.run([cli, "prune", "--quiet", "--model", folder, "--export", target, "--export-mask", mask,
                          "--export-form", form],
                         capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"{folder.name}: {run.stderr}")
    return "only" not in json.loads((target / "heads.json").read_text())["opens_in"]


def difference(cli, folder, golden, mask, form):
    """None: Headscope alone opens it."""
    with tempfile.TemporaryDirectory() as directory:
        target = pathlib.Path(directory) / "model"
        if not export(cli, folder, mask["heads"], target, form):
            return None
        model, report = getattr(transformers, golden["class"]).from_pretrained(
            target, attn_implementation="eager", torch_dtype=torch.float32, output_loading_info=True)
        model.eval()
    if report["missing_keys"] or report["mismatched_keys"]:
        sys.exit(f"{folder.name}: transformers misses {report['missing_keys']} {report['mismatched_keys']}")
    largest = 0
    for row, logits in zip(golden["rows"], mask["logits"], strict=True):
        expected = torch.tensor(logits)
        largest = max(largest, float((last_logits(model, row) - expected).abs().max() / expected.abs().max()))
    return largest


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--cli", default="build/dev/bin/headscope-cli")
    arguments = parser.parse_args()
    # 4.44 would put the file's tensors in the place of parameters, which unties those that have two names.
    transformers.modeling_utils.check_support_param_buffer_assignment = lambda *_, **__: False
    transformers.logging.set_verbosity_error()
    failures = 0
    for folder in sorted(FAMILIES.iterdir()):
        if arguments.names and folder.name not in arguments.names:
            continue
        golden = json.loads((folder / "golden.json").read_text())
        if golden["transformers"] != transformers.__version__:
            continue
        if golden["family"] == "albert":
            print(f"{folder.name}: not compared, its layers lose heads together only")
            continue
        if not golden.get("loads_in_transformers") or not golden.get("masks"):
            print(f"{folder.name}: not compared, transformers does not open the original")
            continue
        for form in ("full", "small"):
            found = [difference(arguments.cli, folder, golden, mask, form) for mask in golden["masks"]]
            differences = [value for value in found if value is not None]
            if not differences:
                continue
            failures += max(differences) > TOLERANCE
            print(f"{folder.name}, {form}: {len(differences)} of {len(found)} masks, largest relative difference "
                  f"{max(differences):.2g}", flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Makes LoRA adapters of models of tests/goldens/families, and what peft computes with them merged.

    venv/bin/pip install torch==2.13.0 transformers==4.57.1 peft==0.18.0
    venv/bin/python tests/goldens/make_adapter_goldens.py tests/goldens/families tests/goldens/adapters

Every folder has adapter_config.json and adapter_model.safetensors as peft saves them (base_model_name_or_path is "base":
a test puts the base there), and golden.json: base (the folder of families), special (what is unusual, in words), merged
(names of the base's tensors that differ), ids, logits [position][vocabulary] of merge_and_unload() in float32.
"""
import json
import pathlib
import shutil
import sys

import peft
import torch
import transformers

CASES = {
    "plain": ("llama-grouped", "alpha/r, in attention and feed-forward layers",
              dict(r=2, lora_alpha=3, target_modules=["q_proj", "v_proj", "o_proj", "down_proj"])),
    "rslora": ("qwen2", "alpha over the root of r, biases beside, sharded base",
               dict(r=3, lora_alpha=2, use_rslora=True, target_modules=["k_proj", "up_proj"])),
    "transposed": ("gpt2-inverse-layer", "matrices that lie transposed (fan_in_fan_out), a table of embeddings",
                   dict(r=2, lora_alpha=5, fan_in_fan_out=True, target_modules=["c_attn", "wte"])),
    "saved": ("llama-grouped", "a matrix of its own (modules_to_save), one module of another rank (rank_pattern)",
              dict(r=2, lora_alpha=4, target_modules=["q_proj", "gate_proj"], modules_to_save=["lm_head"],
                   rank_pattern={"gate_proj": 3})),
}


def make(name, families, target):
    base, special, settings = CASES[name]
    torch.manual_seed(len(name))
    model = transformers.AutoModelForCausalLM.from_pretrained(families / base, torch_dtype=torch.float32,
                                                              attn_implementation="eager")
    before = {key: value.clone() for key, value in model.state_dict().items()}
    tuned = peft.get_peft_model(model, peft.LoraConfig(task_type="CAUSAL_LM", **settings))
    for key, parameter in tuned.named_parameters():
        if "lora_" in key or "modules_to_save" in key:
            parameter.data = 0.3 * torch.randn(parameter.shape)
    tuned.peft_config["default"].base_model_name_or_path = "base"
    folder = target / name
    shutil.rmtree(folder, ignore_errors=True)
    tuned.save_pretrained(folder)
    (folder / "README.md").unlink(missing_ok=True)
    merged = tuned.merge_and_unload().eval()
    ids = torch.randint(3, merged.config.vocab_size - 5, (1, 9))
    with torch.no_grad():
        logits = merged(input_ids=ids, use_cache=False).logits[0]
    golden = {"made_by": "tests/goldens/make_adapter_goldens.py", "peft": peft.__version__,
              "transformers": transformers.__version__, "base": base, "special": special,
              "merged": sorted(key for key, value in merged.state_dict().items() if not torch.equal(value, before[key])),
              "ids": ids[0].tolist(), "logits": [[float(f"{x:.9g}") for x in row] for row in logits.tolist()]}
    (folder / "golden.json").write_text(json.dumps(golden) + "\n")
    print(name, sum(file.stat().st_size for file in folder.iterdir()), golden["merged"])


for case in CASES:
    make(case, *map(pathlib.Path, sys.argv[1:3]))

#!/usr/bin/env python3
"""Writes what transformers 5 makes of the models of tests/goldens/families when it opens and saves them.

    venv5/bin/pip install torch==2.13.0 transformers==5.24.0 safetensors
    venv5/bin/python tests/goldens/make_version5_goldens.py tests/goldens/families [NAME …]

Every folder that it opens with the golden's logits (made by versions 4, see make_family_goldens.py) gets a version5.json:
  transformers       the version
  config, generation_config   config.json and generation_config.json (null: there is none) as it writes them
  tensors            the tensors of its file, each with the tensor of the folder's own files that has the same numbers
  largest            the largest difference of its logits and the golden's, in proportion to the largest logit
Folders that it does not open, or opens as another model (head masks, own keys of config.json), get none; why is printed.

    venv5/bin/python tests/goldens/make_version5_goldens.py --made tests/goldens/version5

makes models that only version 5 has in this form (tables of both sides apart, rope_parameters by kind of layer), as it
saves them, with golden.json: kind, and rows with input_ids, decoder_input_ids (translation) and logits.
"""
import json
import os
import pathlib
import sys
import tempfile

os.environ["TRANSFORMERS_VERBOSITY"] = "error"
import safetensors.torch
import torch
import transformers

TOLERANCE = 2e-5


def tensors_of(folder):
    tensors = {}
    for file in sorted(pathlib.Path(folder).glob("*.safetensors")):
        tensors.update(safetensors.torch.load_file(file))
    return tensors


# Translations without a cache: with one, FSMT forgets that its decoder is causal.
def logits_of(model, golden, row):
    ids = torch.tensor([row["input_ids"]])
    given = {}
    if row.get("token_type_ids"):
        given["token_type_ids"] = torch.tensor([row["token_type_ids"]])
    if golden["kind"] == "translation":
        given["decoder_input_ids"] = torch.tensor([row["decoder_input_ids"]])
        given["use_cache"] = False
    with torch.no_grad():
        out = model(input_ids=ids, attention_mask=torch.ones_like(ids), **given)
    return (out.logits if golden["kind"] != "encoder" else out.last_hidden_state)[0].double()


def difference(model, golden):
    worst = 0.0
    for row in golden["rows"]:
        expected = torch.tensor(row["logits"], dtype=torch.float64)
        found = logits_of(model, golden, row)
        if found.shape != expected.shape:
            raise ValueError(f"logits {list(found.shape)} instead of {list(expected.shape)}")
        worst = max(worst, float((found - expected).abs().max() / max(1.0, float(expected.abs().max()))))
    return worst


def same_tensor(name, tensor, own):
    """The folder's tensor with the same numbers: that of the same name, if it has them."""
    names = [name] + [other for other in own if other != name]
    for other in names:
        if other in own and own[other].shape == tensor.shape and torch.equal(own[other].float(), tensor.float()):
            return other
    raise ValueError(f"no tensor of the folder is {name}")


def saved(folder):
    golden = json.loads((folder / "golden.json").read_text())
    config = json.loads((folder / "config.json").read_text())
    model_class = getattr(transformers, config["architectures"][0])
    if golden["kind"] == "language_model":
        model_class = transformers.AutoModelForCausalLM
    plain = {"attn_implementation": "eager"}
    if any("experts" in key for key in config):
        plain["experts_implementation"] = "eager"  # products of groups ask for wider matrices
    model = model_class.from_pretrained(folder, **plain).eval()
    own = tensors_of(folder)
    with tempfile.TemporaryDirectory() as out:
        model.save_pretrained(out)
        files = {name: json.loads((pathlib.Path(out) / f"{name}.json").read_text())
                 if (pathlib.Path(out) / f"{name}.json").exists() else None for name in ("config", "generation_config")}
        tensors = {name: same_tensor(name, tensor, own) for name, tensor in tensors_of(out).items()}
        again = model_class.from_pretrained(out, **plain).float().eval()
        largest = difference(again, golden)
    if largest > TOLERANCE:
        raise ValueError(f"its logits differ by {largest:.1e}")
    return {"transformers": transformers.__version__, **files, "tensors": dict(sorted(tensors.items())),
            "largest": float(f"{largest:.1e}")}


def seq2seq(**more):
    return dict(vocab_size=29, d_model=12, max_position_embeddings=16, encoder_layers=1, decoder_layers=1,
                encoder_attention_heads=2, decoder_attention_heads=3, encoder_ffn_dim=13, decoder_ffn_dim=11,
                tie_word_embeddings=False, pad_token_id=1, bos_token_id=0, eos_token_id=2, decoder_start_token_id=2,
                scale_embedding=True, **more)


def causal(**more):
    return dict(dict(vocab_size=29, hidden_size=24, num_attention_heads=4, num_key_value_heads=2, intermediate_size=15,
                     num_hidden_layers=3, max_position_embeddings=32, bos_token_id=1, eos_token_id=2, pad_token_id=0), **more)


LOCAL = {"full_attention": {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 8, "rope_theta": 30.0},
         "sliding_attention": {"rope_type": "default", "rope_theta": 70.0}}
LAYERS = ["sliding_attention", "full_attention", "sliding_attention"]

MADE = {
    "bart-apart": ("BartForConditionalGeneration", "BartConfig", seq2seq(activation_function="gelu")),
    "mbart-apart": ("MBartForConditionalGeneration", "MBartConfig", seq2seq(activation_function="relu")),
    "m2m-apart": ("M2M100ForConditionalGeneration", "M2M100Config", seq2seq(activation_function="relu")),
    "pegasus-apart": ("PegasusForConditionalGeneration", "PegasusConfig", seq2seq(activation_function="relu")),
    "marian-apart": ("MarianMTModel", "MarianConfig", seq2seq(activation_function="swish", decoder_vocab_size=29)),
    "fsmt-apart": ("FSMTForConditionalGeneration", "FSMTConfig",
                   {**seq2seq(activation_function="relu", src_vocab_size=29, tgt_vocab_size=29, langs=["en", "de"])}),
    "fsmt-tied": ("FSMTForConditionalGeneration", "FSMTConfig",
                  {**seq2seq(activation_function="relu", src_vocab_size=29, tgt_vocab_size=29, langs=["en", "de"]),
                   "tie_word_embeddings": True}),
    "t5-untied": ("T5ForConditionalGeneration", "T5Config",
                  dict(vocab_size=29, d_model=12, num_heads=3, d_kv=5, d_ff=14, num_layers=1, num_decoder_layers=1,
                       relative_attention_num_buckets=8, relative_attention_max_distance=10, decoder_start_token_id=0,
                       feed_forward_proj="gated-gelu", tie_word_embeddings=False)),
    "olmo3-parts": ("Olmo3ForCausalLM", "Olmo3Config", causal(sliding_window=3, layer_types=LAYERS, rope_parameters=LOCAL)),
    "gemma2": ("Gemma2ForCausalLM", "Gemma2Config",
               causal(head_dim=6, sliding_window=3, query_pre_attn_scalar=5, attn_logit_softcapping=2.0,
                      final_logit_softcapping=3.0)),
    "gemma3-parts": ("Gemma3ForCausalLM", "Gemma3TextConfig",
                     causal(head_dim=6, sliding_window=3, query_pre_attn_scalar=7, layer_types=LAYERS,
                            rope_parameters={**LOCAL, "full_attention": {"rope_type": "linear", "factor": 8.0,
                                                                         "rope_theta": 1000.0}})),
    "llama-longrope": ("LlamaForCausalLM", "LlamaConfig",
                       causal(rope_parameters={"rope_type": "longrope", "rope_theta": 50.0, "factor": 5.0,
                                               "original_max_position_embeddings": 16, "short_factor": [1.0, 1.5, 2.0],
                                               "long_factor": [1.0, 2.0, 4.0]})),
    "ministral": ("MinistralForCausalLM", "MinistralConfig", causal(head_dim=6, sliding_window=3, layer_types=LAYERS)),
}


def fill(model):
    """Weights that make peaked attention."""
    torch.manual_seed(11)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "embed_positions" in name and model.config.model_type in ("fsmt", "pegasus"):
                continue  # sinusoids, which training does not change
            values = torch.randn(parameter.shape)
            parameter.copy_(1 + 0.2 * values if "norm" in name and name.endswith("weight") and parameter.dim() == 1
                            else 0.2 * values if name.endswith("bias") else 0.5 * values)


def make(name, folder):
    model_class, config_class, sizes = MADE[name]
    model = getattr(transformers, model_class)(getattr(transformers, config_class)(**sizes))
    model = model.eval()
    fill(model)
    model.save_pretrained(folder)
    model = getattr(transformers, model_class).from_pretrained(folder, attn_implementation="eager").eval()
    kind = "translation" if model.config.is_encoder_decoder else "language_model"
    generator = torch.Generator().manual_seed(5)
    start = getattr(model.generation_config, "decoder_start_token_id", None)
    golden = {"kind": kind, "transformers": transformers.__version__, "rows": []}
    for length in (7, 4, 9):
        ids = torch.randint(3, 29, (length,), generator=generator).tolist()
        row = {"input_ids": ids}
        if kind == "translation":
            row["input_ids"] = ids + [model.config.eos_token_id]
            row["decoder_input_ids"] = [start] + torch.randint(3, 29, (length - 1,), generator=generator).tolist()
        row["logits"] = [[float(f"{x:.7g}") for x in position] for position in logits_of(model, golden, row).tolist()]
        golden["rows"].append(row)
    (pathlib.Path(folder) / "golden.json").write_text(json.dumps(golden, separators=(",", ":")) + "\n")


def main():
    if sys.argv[1] == "--made":
        for name in sys.argv[3:] or MADE:
            make(name, pathlib.Path(sys.argv[2]) / name)
            print(name)
        return
    folders = pathlib.Path(sys.argv[1])
    names = sys.argv[2:] or sorted(path.name for path in folders.iterdir() if (path / "config.json").exists())
    for name in names:
        try:
            golden = saved(folders / name)
        except Exception as error: # whatever this version refuses
            print(f"{name:22} none: {str(error).splitlines()[0][:110]}")
            continue
        (folders / name / "version5.json").write_text(json.dumps(golden, separators=(",", ":"), ensure_ascii=False) + "\n")
        print(f"{name:22} {golden['largest']:.1e}, {len(golden['tensors'])} tensors")


main()

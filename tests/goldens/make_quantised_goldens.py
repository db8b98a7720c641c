#!/usr/bin/env python3
"""Makes small models with weights of few bits, as the libraries that publish such models pack them, and what they compute.

    venv/bin/pip install torch==2.13.0 transformers==5.24.0 bitsandbytes==0.50.2 accelerate
    # sources of auto_gptq 0.7.1 and autoawq 0.2.9 (their sdists from PyPI, unpacked; they need not be built)
    venv/bin/python tests/goldens/make_quantised_goldens.py AUTO_GPTQ AUTOAWQ tests/goldens/quantised [NAME …]

Weights are packed and unpacked by the libraries' own code: QuantLinear.pack() and forward() of auto_gptq's
qlinear_cuda.py, from_linear() of awq's WQLinear_GEMM and its dequantize_gemm(), and bitsandbytes through transformers.
Every folder has config.json, model.safetensors, and golden.json: format (as Headscope names it), ids, logits
[position][vocabulary] of the model with the unpacked weights in float32, and weights: rows of unpacked tensors.
"""
import importlib.util
import json
import os
import pathlib
import shutil
import sys
import types

os.environ["TRANSFORMERS_VERBOSITY"] = "error"
import torch
import transformers
from safetensors.torch import save_file

SIZES = dict(vocab_size=37, hidden_size=64, num_attention_heads=4, num_key_value_heads=2, intermediate_size=96,
             num_hidden_layers=1, max_position_embeddings=32, bos_token_id=1, eos_token_id=2, pad_token_id=0)
GPT2 = dict(vocab_size=37, n_embd=32, n_head=2, n_layer=1, n_inner=64, n_positions=24, bos_token_id=1, eos_token_id=2)
HALF, BRAIN = torch.float16, torch.bfloat16

# name: model, its sizes, type of what is not packed, method, settings
CASES = {
    "gptq": ("Llama", SIZES, HALF, "gptq", dict(bits=4, group_size=32, desc_act=True)),
    "gptq-8-v2": ("Qwen2", SIZES, BRAIN, "gptq", dict(bits=8, group_size=-1, desc_act=False, checkpoint_format="gptq_v2")),
    "gptq-3": ("Mistral", SIZES, HALF, "gptq", dict(bits=3, group_size=32, desc_act=False)),
    "gptq-2-gpt2": ("GPT2", GPT2, HALF, "gptq", dict(bits=2, group_size=16, desc_act=False)),
    "awq": ("Qwen2", SIZES, HALF, "awq", dict(bits=4, group_size=32, zero_point=True, version="gemm")),
    "bnb-8": ("Llama", SIZES, HALF, "bnb", dict(load_in_8bit=True)),
    "bnb-nf4": ("Llama", SIZES, BRAIN, "bnb", dict(load_in_4bit=True, bnb_4bit_quant_type="nf4",
                                                  bnb_4bit_use_double_quant=True, bnb_4bit_compute_dtype=BRAIN)),
    "bnb-fp4-gpt2": ("GPT2", GPT2, HALF, "bnb", dict(load_in_4bit=True, bnb_4bit_quant_type="fp4")),
}
FORMATS = {"gptq": "GPTQ, 4 bits in groups of 32", "gptq-8-v2": "GPTQ, 8 bits in groups of 64",
           "gptq-3": "GPTQ, 3 bits in groups of 32", "gptq-2-gpt2": "GPTQ, 2 bits in groups of 16",
           "awq": "AWQ, 4 bits in groups of 32", "bnb-8": "bitsandbytes, 8 bits with a scale for each row",
           "bnb-nf4": "bitsandbytes, nf4 in blocks of 64 with scales in 8 bits",
           "bnb-fp4-gpt2": "bitsandbytes, fp4 in blocks of 64"}


def load_source(path, name):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def load_awq(source):
    for name in ("awq", "awq.utils", "awq.modules", "awq.modules.linear"):  # without what their __init__ imports
        sys.modules[name] = types.ModuleType(name)
        sys.modules[name].__path__ = [str(source / name.replace(".", "/"))]
    return load_source(source / "awq/modules/linear/gemm.py", "awq.modules.linear.gemm"), \
        load_source(source / "awq/utils/packing_utils.py", "awq.utils.packing_utils")


def linears(model):
    for name, module in model.named_modules():
        if isinstance(module, (torch.nn.Linear, transformers.pytorch_utils.Conv1D)) and name != "lm_head":
            yield name, module


def scales_and_zeros(weight, bits, size):
    """[out, groups] of a weight [out, in], from the least and the largest of each group."""
    groups = weight.unflatten(1, (-1, size))
    low, high = groups.amin(-1).clamp_max(0), groups.amax(-1).clamp_min(0)
    scales = ((high - low) / (2**bits - 1)).half().float()
    return scales, (-low / scales).round().clamp(1, 2**bits - 1)


def pack_gptq(source, module, settings, dtype):
    bits, group = settings["bits"], settings["group_size"]
    is_conv = isinstance(module, transformers.pytorch_utils.Conv1D)
    weight = (module.weight.t() if is_conv else module.weight).data.float()
    width = weight.shape[1]
    size = group if group > 0 else width
    order = torch.arange(width) // size
    columns = torch.arange(width)
    if settings["desc_act"]:
        columns = torch.randperm(width)
        order = torch.empty(width, dtype=torch.long)
        order[columns] = torch.arange(width) // size
    scales, zeros = scales_and_zeros(weight[:, columns], bits, size)
    scales = scales.to(dtype).float()
    codes = (weight / scales[:, order] + zeros[:, order]).round().clamp(0, 2**bits - 1)
    linear = torch.nn.Linear(width, weight.shape[0], bias=False)
    linear.weight.data = (codes - zeros[:, order]) * scales[:, order]

    def packed(zeros):
        layer = source.QuantLinear(bits, group, width, weight.shape[0], False, weight_dtype=dtype)
        layer.pack(linear, scales, zeros.clone(), order.to(torch.int32))
        layer.scales = layer.scales.to(dtype)
        return layer

    layer = packed(zeros)
    unpacked = layer(torch.eye(width, dtype=dtype)).t().contiguous()
    if settings.get("checkpoint_format") == "gptq_v2":
        layer.qzeros = packed(zeros + 1).qzeros  # pack() takes one off
    tensors = {"qweight": layer.qweight, "qzeros": layer.qzeros, "scales": layer.scales, "g_idx": layer.g_idx}
    return tensors, unpacked.t() if is_conv else unpacked


def pack_awq(source, module, settings, dtype):
    gemm, packing = source
    bits, group = settings["bits"], settings["group_size"]
    scales, zeros = scales_and_zeros(module.weight.data.float(), bits, group)
    module = module.to(torch.float32)
    layer = gemm.WQLinear_GEMM.from_linear(module, bits, group, False, scales.t().contiguous(), zeros.t().contiguous())
    unpacked = packing.dequantize_gemm(layer.qweight, layer.qzeros, layer.scales, bits, group).t().contiguous()
    return {"qweight": layer.qweight, "qzeros": layer.qzeros, "scales": layer.scales}, unpacked


def new_model(kind, sizes):
    model = getattr(transformers, f"{kind}{'LMHeadModel' if kind == 'GPT2' else 'ForCausalLM'}")(
        getattr(transformers, f"{kind}Config")(**sizes)).eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            values = torch.randn(parameter.shape)
            is_norm = parameter.dim() == 1 and name.endswith("weight")
            parameter.copy_(1 + 0.2 * values if is_norm else 0.3 * values)
    return model


def by_library(model, folder, dtype, settings, unpack):
    model.to(dtype)
    state = {name: tensor for name, tensor in model.state_dict().items()
             if not (name == "lm_head.weight" and model.config.tie_word_embeddings)}
    unpacked = {}
    for name, module in linears(model):
        tensors, weight = unpack(module, settings, dtype)
        del state[f"{name}.weight"]
        state.update({f"{name}.{key}": tensor.contiguous() for key, tensor in tensors.items()})
        unpacked[f"{name}.weight"] = weight
    model.to(torch.float32)
    for name, weight in unpacked.items():
        model.get_parameter(name).data = weight.float()
    folder.mkdir(parents=True)
    save_file({name: tensor.contiguous() for name, tensor in state.items()}, folder / "model.safetensors",
              metadata={"format": "pt"})
    return model, unpacked


def by_blocks(weight):
    """The library's own code for any device: that for processors (0.50.2) forgets that blocks go on in the next row."""
    from bitsandbytes.backends.default.ops import _dequantize_4bit_compute
    from bitsandbytes.functional import dequantize_blockwise
    state = weight.quant_state
    largest = dequantize_blockwise(state.absmax, state.state2).float() + state.offset if state.nested else state.absmax
    return _dequantize_4bit_compute(weight.data.reshape(-1), largest, state.code, state.blocksize, state.shape, state.dtype)


def by_bitsandbytes(model, folder, dtype, settings):
    model.to(dtype).save_pretrained(folder / "whole")
    packed = transformers.AutoModelForCausalLM.from_pretrained(
        folder / "whole", dtype=dtype, quantization_config=transformers.BitsAndBytesConfig(**settings), device_map="cpu")
    packed.save_pretrained(folder)
    from transformers.integrations.bitsandbytes import dequantize_bnb_weight
    unpacked = {}
    for name, module in packed.named_modules():
        if type(module).__name__ in ("Linear8bitLt", "Linear4bit"):
            weight = dequantize_bnb_weight(module.weight, module.state) if hasattr(module.weight, "SCB") else \
                by_blocks(module.weight)
            unpacked[f"{name}.weight"] = weight
    shutil.rmtree(folder / "whole")
    model.to(torch.float32)
    for name, weight in unpacked.items():
        parameter = model.get_parameter(name)
        is_conv = isinstance(model.get_submodule(name.rpartition(".")[0]), transformers.pytorch_utils.Conv1D)
        parameter.data = (weight.t() if is_conv else weight).float().contiguous()
        unpacked[name] = parameter.data
    return model, unpacked


def make(name, gptq, awq, folder):
    kind, sizes, dtype, method, settings = CASES[name]
    torch.manual_seed(sum(map(ord, name)))
    shutil.rmtree(folder, ignore_errors=True)
    model = new_model(kind, sizes)
    before = {key: value.clone() for key, value in model.state_dict().items()}
    if method == "bnb":
        model, unpacked = by_bitsandbytes(model, folder, dtype, settings)
    else:
        unpack = (lambda *given: pack_gptq(gptq, *given)) if method == "gptq" else (lambda *given: pack_awq(awq, *given))
        model, unpacked = by_library(model, folder, dtype, settings, unpack)
        config = model.config.to_dict()
        config.update(architectures=[type(model).__name__], dtype=str(dtype).split(".")[1],
                      quantization_config={"quant_method": method, **settings})
        config.pop("torch_dtype", None)
        (folder / "config.json").write_text(json.dumps(config, indent=2, sort_keys=True) + "\n")
    exact = type(model)(model.config).eval()  # buffers were rounded with the weights
    exact.load_state_dict(model.state_dict())
    model = exact
    ids = torch.randint(3, 37, (1, 9))
    with torch.no_grad():
        logits = model(input_ids=ids, use_cache=False).logits[0]
    golden = {"made_by": "tests/goldens/make_quantised_goldens.py", "format": FORMATS[name],
              "transformers": transformers.__version__, "ids": ids[0].tolist(),
              "logits": [[float(f"{x:.9g}") for x in row] for row in logits.tolist()],
              "weights": {key: [tensor[row].float().tolist() for row in (0, -1)] for key, tensor in unpacked.items()
                          if key.endswith(("q_proj.weight", "down_proj.weight", "c_attn.weight", "mlp.c_proj.weight"))}}
    (folder / "golden.json").write_text(json.dumps(golden) + "\n")
    largest = max(float((model.get_parameter(key).data - before[key]).abs().max()) for key in unpacked)
    print(f"{name:14} {largest:.2f} from the model, {sum(file.stat().st_size for file in folder.iterdir()):7} bytes, {len(unpacked)} packed,"
          f" {sorted(file.name for file in folder.iterdir())}")


gptq_source, awq_source, target = map(pathlib.Path, sys.argv[1:4])
gptq_code = load_source(gptq_source / "auto_gptq/nn_modules/qlinear/qlinear_cuda.py", "qlinear_cuda")
awq_code = load_awq(awq_source)
for case in sys.argv[4:] or CASES:
    make(case, gptq_code, awq_code, target / case)

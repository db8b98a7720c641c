#!/usr/bin/env python3
"""Makes small models in GGUF, and what transformers computes with their numbers and makes of texts.

    venv/bin/pip install torch==2.13.0 transformers==5.24.0 gguf==0.19.0 sentencepiece tokenizers
    venv/bin/python tests/goldens/make_gguf_goldens.py tests/goldens/gguf [NAME …]

Tensors have the names, the order of rows and the norms of llama.cpp's convert_hf_to_gguf.py. Types of 32 numbers are
quantised by gguf.quants.quantize(); blocks of 256, which it does not make, are random bytes. Every folder has model.gguf
and golden.json: ids, logits [position][vocabulary] of the model with what gguf.quants.dequantize() makes of every tensor,
in float32; weights: rows of tensors; types: how many tensors of each; texts with their ids by AutoTokenizer with
gguf_file, or of SentencePiece where these differ. Where transformers opens the file itself, its logits must be the same.
"""
import io
import json
import os
import pathlib
import shutil
import sys

os.environ["TRANSFORMERS_VERBOSITY"] = "error"
import gguf
import numpy as np
import sentencepiece
import tokenizers
import torch
import transformers

Type = gguf.GGMLQuantizationType
TEXTS = ["The cat sat on 12345 mats, didn't it?", "  two  blanks\n\nand lines\t", "naïve façade — Ω 東京 🙂", "<s> a</s> b", ""]
WORDS = ["The quick brown fox jumps over the lazy dog, doesn't it?", "a cat sat on the mat in 1234 and 98765 houses",
         "naïve façade", "two lines\nof text and more of the same text", "the theatre there then", "12 21 345 543"]


def sizes(**more):
    return dict(dict(hidden_size=32, num_attention_heads=4, num_key_value_heads=2, intermediate_size=64, num_hidden_layers=2,
                     max_position_embeddings=64), **more)


BY_32 = [Type.Q4_0, Type.Q4_1, Type.Q5_0, Type.Q5_1, Type.Q8_0]
BY_256 = [Type.Q2_K, Type.Q3_K, Type.Q4_K, Type.Q5_K, Type.Q6_K]
LLAMA3 = dict(rope_type="llama3", rope_theta=500.0, factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0,
              original_max_position_embeddings=16)

# name: class of the model, its sizes, architecture in GGUF, tokenizer, type of a tensor
CASES = {
    "llama-types": ("Llama", sizes(num_hidden_layers=5, intermediate_size=256, rms_norm_eps=1e-6), "llama", "llama",
                    lambda name, layer: BY_256[layer] if "down_proj" in name else BY_32[layer % 5]),
    "llama3": ("Llama", sizes(rope_parameters=LLAMA3, tie_word_embeddings=True), "llama", "llama-bpe",
               lambda name, layer: Type.F16),
    "qwen2": ("Qwen2", sizes(tie_word_embeddings=True), "qwen2", "qwen2", lambda name, layer: Type.Q8_0),
    "qwen3": ("Qwen3", sizes(head_dim=12), "qwen3", "qwen2", lambda name, layer: Type.BF16),
    "gemma2": ("Gemma2", sizes(head_dim=16, sliding_window=3, query_pre_attn_scalar=16, attn_logit_softcapping=2.0,
                               final_logit_softcapping=3.0), "gemma2", "gemma", lambda name, layer: Type.Q8_0),
    "gemma3": ("Gemma3", sizes(head_dim=16, sliding_window=3, query_pre_attn_scalar=16, num_hidden_layers=6,
                               intermediate_size=32), "gemma3", "gemma", lambda name, layer: Type.Q5_0),
}
LAYER = {"input_layernorm": "attn_norm", "self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v",
         "self_attn.o_proj": "attn_output", "self_attn.q_norm": "attn_q_norm", "self_attn.k_norm": "attn_k_norm",
         "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up", "mlp.down_proj": "ffn_down"}
NORMS = {"post_attention_layernorm": "ffn_norm"}
GEMMA = {"post_attention_layernorm": "post_attention_norm", "pre_feedforward_layernorm": "ffn_norm",
         "post_feedforward_layernorm": "post_ffw_norm"}
OUTSIDE = {"model.embed_tokens": "token_embd", "model.norm": "output_norm", "lm_head": "output"}


def sentence_pieces(gemma):
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(WORDS * 4), model_writer=model, vocab_size=320, model_type="bpe", byte_fallback=True,
        character_coverage=1.0, hard_vocab_limit=False, add_dummy_prefix=not gemma, remove_extra_whitespaces=False,
        normalization_rule_name="identity", minloglevel=2, bos_id=1, eos_id=2, unk_id=0, pad_id=-1)
    pieces = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())
    count = pieces.get_piece_size()
    kind = [2 if pieces.is_unknown(i) else 3 if pieces.is_control(i) else 6 if pieces.is_byte(i) else 1 for i in range(count)]
    return pieces, [pieces.id_to_piece(i) for i in range(count)], [pieces.get_score(i) for i in range(count)], kind


def write_tokenizer(writer, name):
    """Number of tokens, and SentencePiece's model of them."""
    if name in ("llama", "gemma"):
        pieces, tokens, scores, kinds = sentence_pieces(name == "gemma")
        writer.add_tokenizer_model("llama")
        writer.add_tokenizer_pre("default")
        writer.add_token_list(tokens)
        writer.add_token_scores(scores)
        writer.add_token_types(kinds)
        writer.add_bos_token_id(1)
        writer.add_eos_token_id(2)
        writer.add_unk_token_id(0)
        writer.add_add_space_prefix(name == "llama")
        if name == "gemma":
            writer.add_add_bos_token(True)
        return len(tokens), pieces
    trained = tokenizers.Tokenizer(tokenizers.models.BPE())
    trained.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    special = ["<s>", "</s>", "<pad>"]
    trained.train_from_iterator(WORDS * 4, tokenizers.trainers.BpeTrainer(
        vocab_size=320, special_tokens=special, show_progress=False,
        initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet()))
    model = json.loads(trained.to_str())["model"]
    tokens = sorted(model["vocab"], key=model["vocab"].get)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre(name)
    writer.add_token_list(tokens)
    writer.add_token_types([3 if token in special else 1 for token in tokens])
    writer.add_token_merges([" ".join(pair) for pair in model["merges"]])
    for add, key in ((writer.add_bos_token_id, "<s>"), (writer.add_eos_token_id, "</s>"), (writer.add_pad_token_id, "<pad>")):
        add(tokens.index(key))
    writer.add_add_bos_token(name == "llama-bpe")
    return len(tokens), None


def write_settings(writer, config):
    writer.add_block_count(config.num_hidden_layers)
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(config.num_attention_heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    head = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    writer.add_key_length(head)
    writer.add_value_length(head)
    rope = config.rope_parameters
    writer.add_rope_freq_base(rope.get("full_attention", rope)["rope_theta"])
    if "gemma" in config.model_type:
        writer.add_sliding_window(config.sliding_window)
    if config.model_type == "gemma2":
        writer.add_attn_logit_softcapping(config.attn_logit_softcapping)
        writer.add_final_logit_softcapping(config.final_logit_softcapping)
    return head


def gguf_name(name, gemma):
    module, _, last = name.rpartition(".")
    if module in OUTSIDE:
        return f"{OUTSIDE[module]}.{last}"
    _, _, layer, inner = module.split(".", 3)
    return f"blk.{layer}.{ {**LAYER, **(GEMMA if gemma else NORMS)}[inner]}.{last}"


def permuted(weight, heads):
    return weight.reshape(heads, 2, weight.shape[0] // heads // 2, *weight.shape[1:]).swapaxes(1, 2).reshape(weight.shape)


def unpermuted(weight, heads):
    return weight.reshape(heads, weight.shape[0] // heads // 2, 2, *weight.shape[1:]).swapaxes(1, 2).reshape(weight.shape)


def random_blocks(shape, kind):
    """Bytes whose factors are small numbers of 16 bits."""
    block, size = gguf.GGML_QUANT_SIZES[kind]
    data = np.random.randint(0, 256, (shape[0], shape[1] // block, size), dtype=np.uint8)
    places = {Type.Q2_K: (80, 82), Type.Q3_K: (108,), Type.Q4_K: (0, 2), Type.Q5_K: (0, 2), Type.Q6_K: (208,)}[kind]
    for place in places:
        factors = (np.random.rand(shape[0], shape[1] // block) * 0.004 + 0.001).astype(np.float16)
        data[:, :, place:place + 2] = factors[..., None].view(np.uint8)
    return data.reshape(shape[0], -1)


def write_tensors(writer, model, type_of, gemma):
    """Writes all tensors, and gives the model the numbers that they stand for; what tensors of the model became."""
    config, written = model.config, {}
    for name, parameter in model.named_parameters():
        value = parameter.data.numpy().copy()
        if name == "lm_head.weight" and config.tie_word_embeddings:
            continue
        heads = 0
        if config.model_type == "llama" and ("q_proj" in name or "k_proj" in name):
            heads = config.num_attention_heads if "q_proj" in name else config.num_key_value_heads
        plus = 1 if gemma and name.endswith("norm.weight") else 0
        value = permuted(value, heads) if heads else value + np.float32(plus)
        layer = int(name.split(".")[2]) if name.startswith("model.layers") else 4
        kind = Type.F32 if value.ndim == 1 else type_of(name, layer)
        if kind in BY_256:
            data = random_blocks(value.shape, kind)
        else:
            data = gguf.quants.quantize(value, kind) if kind not in (Type.F32, Type.F16) else value.astype(
                np.float32 if kind == Type.F32 else np.float16)
        writer.add_tensor(gguf_name(name, gemma), data, raw_dtype=kind)
        back = gguf.quants.dequantize(data, kind) if kind not in (Type.F32, Type.F16) else data.astype(np.float32)
        back = unpermuted(back, heads) if heads else back - np.float32(plus)
        parameter.data = torch.from_numpy(np.ascontiguousarray(back))
        written[name] = (kind, parameter.data)
    return written


def rope_factors(config):
    """As convert_hf_to_gguf.py writes them for Llama 3.1."""
    rope, width = config.rope_parameters, config.hidden_size // config.num_attention_heads
    low = rope["original_max_position_embeddings"] / rope["low_freq_factor"]
    high = rope["original_max_position_embeddings"] / rope["high_freq_factor"]
    factors = []
    for frequency in 1.0 / (rope["rope_theta"] ** (torch.arange(0, width, 2, dtype=torch.float32) / width)):
        length = 2 * np.pi / frequency
        smooth = (rope["original_max_position_embeddings"] / length - rope["low_freq_factor"]) / (
            rope["high_freq_factor"] - rope["low_freq_factor"])
        factors.append(1 if length < high else rope["factor"] if length > low else
                       1 / ((1 - smooth) / rope["factor"] + smooth))
    return np.array(factors, dtype=np.float32)


def fill(model):
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            values = torch.randn(parameter.shape)
            is_norm = parameter.dim() == 1 and name.endswith("weight")
            parameter.copy_((0 if "gemma" in model.config.model_type else 1) + 0.2 * values if is_norm else 0.3 * values)


def make(name, folder):
    kind, wanted, architecture, tokenizer, type_of = CASES[name]
    torch.manual_seed(sum(map(ord, name)))
    np.random.seed(sum(map(ord, name)))
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    path = folder / "model.gguf"
    writer = gguf.GGUFWriter(path, architecture)
    count, pieces = write_tokenizer(writer, tokenizer)
    text = "Text" if kind == "Gemma3" else ""
    config = getattr(transformers, f"{kind}{text}Config")(vocab_size=count, **wanted)
    model = getattr(transformers, f"{kind}ForCausalLM")(config).eval()
    model.set_attn_implementation("eager")
    fill(model)
    write_settings(writer, config)
    gemma = "gemma" in architecture
    if config.rope_parameters.get("rope_type") == "llama3":
        writer.add_tensor("rope_freqs.weight", rope_factors(config))
    written = write_tensors(writer, model, type_of, gemma)
    for write in (writer.write_header_to_file, writer.write_kv_data_to_file, writer.write_tensors_to_file, writer.close):
        write()
    ids = torch.randint(3, count, (1, 9))
    with torch.no_grad():
        logits = model(input_ids=ids, use_cache=False).logits[0]
    kinds = [one.name for one, _ in written.values()]
    golden = {"made_by": "tests/goldens/make_gguf_goldens.py", "transformers": transformers.__version__,
              "gguf": "0.19.0", "ids": ids[0].tolist(), "types": {one: kinds.count(one) for one in sorted(set(kinds))},
              "logits": [[float(f"{x:.9g}") for x in row] for row in logits.tolist()],
              "weights": {key: [tensor[row].tolist() for row in (0, -1)] for key, (_, tensor) in written.items()
                          if key.endswith(("q_proj.weight", "down_proj.weight")) or "q_proj.bias" in key},
              "texts": []}
    for key, rows in list(golden["weights"].items()):
        golden["weights"][key] = [row if isinstance(row, list) else [row] for row in rows]
    reader = transformers.AutoTokenizer.from_pretrained(folder, gguf_file="model.gguf")
    for one in TEXTS:
        if tokenizer == "llama" and "<s>" in one:
            continue  # behind special tokens llama.cpp puts a blank, transformers 5 does not
        ids_of = reader(one)["input_ids"]
        own = [1] + pieces.encode(one) if pieces and "<s>" not in one and one else ids_of
        if own != ids_of: # transformers 5 puts no blank before texts that begin with one
            assert tokenizer == "llama" and one.startswith(" "), (one, own, ids_of)
        golden["texts"].append({"text": one, "ids": own})
    try:
        own = transformers.AutoModelForCausalLM.from_pretrained(
            folder, gguf_file="model.gguf", config=config, dtype=torch.float32,
            attn_implementation="eager").eval()
        with torch.no_grad():
            difference = float((own(input_ids=ids, use_cache=False).logits[0] - logits).abs().max())
    except Exception as error:  # what this version refuses
        difference = f"not opened by transformers: {str(error)[:150]}"
    (folder / "golden.json").write_text(json.dumps(golden, ensure_ascii=False) + "\n")
    print(f"{name:12} {path.stat().st_size} bytes, golden {(folder / 'golden.json').stat().st_size}; {difference};"
          f" {golden['types']}")


for case in sys.argv[2:] or CASES:
    make(case, pathlib.Path(sys.argv[1]) / case)

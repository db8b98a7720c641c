#!/usr/bin/env python3
"""Makes the tiny sequence classifiers of tests/goldens/classifiers and what Hugging Face computes with them.

    python3 tests/goldens/make_classifier_goldens.py tests/goldens/classifiers [NAME …]

Needs torch, transformers 4.x (5 dropped head masks) and safetensors; the project itself needs no Python, and the build
does not run this. The goldens in the repository come from torch 2.13.0+cpu, safetensors 0.8.0 and transformers 4.44.2,
those of decoders, encoder-decoders and families that it does not have (HOOKED) from 4.57.1: each version makes its own.
A second run makes the same files, but for the storage keys in legacy .bin files, which are addresses.

Every folder has config.json, weights in one of the containers that Checkpoint reads, and golden.json:
  rows         input_ids, token_type_ids (absent: the model was called without), label, logits, loss (Hugging Face's, of
               this row by itself: multi-label losses are means over labels), attention [layer][head][query·key],
               gate_gradients [layer][head] = ∂loss/∂head_mask (from the model in double precision)
  masks        logits of every row with head_mask 0 for `heads` ([layer, head])
  importance   Σ over rows of |gate_gradients| (Michel et al. 2019)
  heads        original numbers of the heads of each layer; all [head] lists above are in this order
  stacks       HOOKED models, instead of heads: {"encoder", "decoder", "cross": {"heads", "head_width"}}. Then
               attention and gate_gradients of rows, and importance, are by kind; heads of masks are [kind, layer, head];
               masks and gates multiply what heads give to their layer's output projection (for the encoders above that
               is the same as head_mask). Rows of models with a decoder have `read`: what it reads up to the position that
               is classified; attention is that of these positions.
  noise        largest differences (logits, attention, gradients) between the model in single and double precision
Numbers have 7 significant digits and at most 9 decimals. Rows were computed in one padded batch; each alone gives the
same to 1e-5.
"""
import argparse
import collections
import json
import pathlib
import shutil
import sys
import zlib

import make_family_goldens as families
import safetensors
import safetensors.torch
import torch
import transformers
from transformers import (BertConfig, BertForSequenceClassification, DistilBertConfig,
                          DistilBertForSequenceClassification, ElectraConfig, ElectraForSequenceClassification,
                          RobertaConfig, RobertaForSequenceClassification, XLMRobertaConfig,
                          XLMRobertaForSequenceClassification)

FOLDER_LIMIT = 60_000
TOTAL_LIMIT = 1_000_000
NOISE_LIMIT = 2e-6  # tests compare to 1e-5
HOOKED_NOISE_LIMIT = 4e-6

CLASSES = {
    "bert": (BertConfig, BertForSequenceClassification),
    "roberta": (RobertaConfig, RobertaForSequenceClassification),
    "xlm-roberta": (XLMRobertaConfig, XLMRobertaForSequenceClassification),
    "distilbert": (DistilBertConfig, DistilBertForSequenceClassification),
    "electra": (ElectraConfig, ElectraForSequenceClassification),
}

Case = collections.namedtuple("Case", "name family config lengths container change prune dtype loads extras edit",
                              defaults=("safetensors", None, None, torch.float32, True, (), None))


# --- Changes to a state dict that old or foreign files show -----------------------------------------------------------

def old_norm_names(state):
    """LayerNorm.gamma and .beta, as in bert-base-uncased's pytorch_model.bin, and the buffer of before 4.31."""
    renamed = collections.OrderedDict()
    for name, tensor in state.items():
        name = name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta")
        renamed[name] = tensor
    positions = state["bert.embeddings.position_embeddings.weight"].shape[0]
    renamed["bert.embeddings.position_ids"] = torch.arange(positions).unsqueeze(0)
    return renamed


def without_prefix(prefix):
    return lambda state: {name.removeprefix(prefix): tensor for name, tensor in state.items()}


def data_parallel(state):
    return collections.OrderedDict(("module." + name, tensor) for name, tensor in state.items())


def with_extra(name, tensor):
    return lambda state: {**state, name: tensor}


def transposed_in_memory(state):
    """Matrices whose storage is their transpose's: the file then has strides that are not row by row."""
    return {name: tensor.t().contiguous().t() if tensor.dim() == 2 else tensor for name, tensor in state.items()}


# --- The models -------------------------------------------------------------------------------------------------------

def sizes(heads, width, layers, feed_forward, positions, **more):
    return dict(vocab_size=21, hidden_size=heads * width, num_attention_heads=heads, num_hidden_layers=layers,
                intermediate_size=feed_forward, max_position_embeddings=positions, **more)


def distil_sizes(heads, width, layers, feed_forward, positions, **more):
    return dict(vocab_size=21, dim=heads * width, n_heads=heads, n_layers=layers, hidden_dim=feed_forward,
                max_position_embeddings=positions, **more)


def labels(*names):
    return dict(id2label=dict(enumerate(names)), label2id={name: i for i, name in enumerate(names)})


def only_num_labels(count):
    def edit(config):
        config.pop("id2label", None)
        config.pop("label2id", None)
        config["num_labels"] = count
    return edit


def without_keys(*keys):
    def edit(config):
        for key in keys:
            config.pop(key, None)
    return edit


MULTI = dict(problem_type="multi_label_classification")
FIVE = labels("toxic", "obscene", "threat", "insult", "hate")

CASES = [
    Case("bert-regression", "bert",
         sizes(3, 6, 1, 20, 11, type_vocab_size=2, hidden_act="gelu", num_labels=1, problem_type="regression"),
         (11, 6, 1, 4)),
    Case("bert-pairs", "bert",
         sizes(5, 6, 2, 13, 8, type_vocab_size=2, hidden_act="gelu_new", layer_norm_eps=1e-5,
               **labels("entailment", "neutral", "contradiction")),
         (8, 5, 1, 6), dtype=torch.bfloat16),
    Case("bert-old", "bert",
         sizes(3, 5, 2, 11, 9, type_vocab_size=2, hidden_act="gelu", layer_norm_eps=1e-3, num_labels=2),
         (9, 3, 1, 6), container="legacy bin", change=old_norm_names, edit=without_keys("position_embedding_type")),
    Case("bert-multilabel", "bert",
         sizes(2, 7, 3, 9, 8, type_vocab_size=3, hidden_act="relu", pad_token_id=4, **FIVE, **MULTI),
         (8, 5, 1, 3), container="sharded safetensors"),
    Case("bert-pruned", "bert",
         sizes(5, 3, 3, 11, 7, type_vocab_size=1, hidden_act="silu", num_labels=3),
         (7, 2, 1, 5), container="bin", prune={0: [1, 3], 1: [0, 1, 2, 3, 4], 2: [4]}, edit=only_num_labels(3)),
    Case("roberta-binary", "roberta",
         sizes(3, 6, 2, 11, 11, type_vocab_size=1, hidden_act="gelu", layer_norm_eps=1e-5, num_labels=2),
         (9, 6, 1, 7), container="legacy bin", change=data_parallel, loads=False),
    Case("roberta-multilabel", "roberta",
         sizes(5, 3, 2, 8, 9, type_vocab_size=1, hidden_act="silu", layer_norm_eps=0.01, **FIVE, **MULTI),
         (7, 5, 1, 2), container="sharded bin", prune={0: [0, 4], 1: [2]}),
    Case("xlm-roberta-regression", "xlm-roberta",
         sizes(3, 10, 1, 18, 13, type_vocab_size=1, hidden_act="gelu_new", layer_norm_eps=1e-5, num_labels=1),
         (11, 7, 1, 4), dtype=torch.float16),
    Case("xlm-roberta-topics", "xlm-roberta",
         sizes(1, 14, 3, 11, 14, type_vocab_size=2, hidden_act="relu", pad_token_id=3,
               **labels("sports", "politics", "science")),
         (10, 6, 1, 9), container="sharded safetensors", change=without_prefix("roberta."), loads=False),
    Case("distilbert-binary", "distilbert",
         distil_sizes(3, 5, 2, 11, 9, activation="relu", sinusoidal_pos_embds=True, layer_norm_eps=0.1,  # not looked at
                      **labels("NEGATIVE", "POSITIVE")),
         (9, 5, 1, 6), container="bin", change=transposed_in_memory),
    Case("distilbert-multilabel", "distilbert",
         distil_sizes(5, 6, 3, 7, 7, activation="gelu", pad_token_id=1, **FIVE, **MULTI),
         (7, 4, 1, 5), dtype=torch.bfloat16, prune={0: [2], 2: [0, 1, 4]},
         change=with_extra("adapter.down.weight", torch.ones(2, 3)), extras=("adapter.down.weight",)),
    Case("electra-pairs", "electra",
         sizes(3, 6, 2, 18, 10, embedding_size=10, type_vocab_size=2, hidden_act="gelu", layer_norm_eps=0.05,
               **labels("entailment", "neutral", "contradiction")),
         (10, 7, 1, 4), dtype=torch.float16),
    Case("electra-regression", "electra",
         sizes(5, 4, 1, 11, 9, embedding_size=20, type_vocab_size=3, hidden_act="silu", num_labels=1,
               problem_type="regression"),
         (9, 4, 1, 6), container="bin", change=without_prefix("electra."), loads=False,
         edit=without_keys("architectures")),
    Case("electra-pruned", "electra",
         sizes(3, 6, 3, 11, 8, embedding_size=7, type_vocab_size=2, hidden_act="relu", num_labels=2),
         (8, 5, 1, 3), prune={0: [2], 1: [0, 1, 2]}),
]


def decoder_sizes(heads, width, layers, feed_forward, positions, **more):
    return sizes(heads, width, layers, feed_forward, positions, bos_token_id=1, eos_token_id=2, **more)


def llama_sizes(heads, key_heads, width, layers, feed_forward, positions, **more):
    return decoder_sizes(heads, width, layers, feed_forward, positions, num_key_value_heads=key_heads, **more)


def bart_sizes(encoder, decoder, width, **more):
    return dict(vocab_size=21, d_model=width, max_position_embeddings=14, encoder_layers=encoder[0],
                encoder_attention_heads=encoder[1], encoder_ffn_dim=encoder[2], decoder_layers=decoder[0],
                decoder_attention_heads=decoder[1], decoder_ffn_dim=decoder[2], **more)


def t5_sizes(width, heads, head_width, feed_forward, encoder_layers, decoder_layers, **more):
    return dict(vocab_size=21, d_model=width, num_heads=heads, d_kv=head_width, d_ff=feed_forward,
                num_layers=encoder_layers, num_decoder_layers=decoder_layers, relative_attention_num_buckets=8,
                relative_attention_max_distance=10, decoder_start_token_id=0, **more)


HOOKED = [
    Case("gpt2-binary", "gpt2",
         dict(vocab_size=21, n_embd=15, n_head=3, n_layer=2, n_inner=13, n_positions=11, pad_token_id=4,
              bos_token_id=20, eos_token_id=20, **labels("NEGATIVE", "POSITIVE")), (9, 5, 1, 6)),
    Case("llama-reward", "llama", llama_sizes(4, 2, 4, 2, 13, 16, num_labels=1), (9, 4, 1, 5)),  # no padding token
    Case("mistral-window", "mistral",
         llama_sizes(3, 1, 6, 2, 11, 16, pad_token_id=2, sliding_window=3, **FIVE, **MULTI), (8, 5, 1, 3),
         container="sharded safetensors"),
    Case("qwen2-topics", "qwen2",
         llama_sizes(4, 2, 4, 2, 15, 16, pad_token_id=3, **labels("sports", "politics", "science")), (9, 6, 1, 4),
         dtype=torch.float16),
    Case("qwen3-binary", "qwen3", llama_sizes(3, 3, 4, 2, 11, 16, head_dim=6, pad_token_id=3, num_labels=2),
         (7, 3, 1, 5), container="bin"),
    Case("pythia-multilabel", "gpt_neox", decoder_sizes(3, 8, 2, 17, 16, rotary_pct=0.5, pad_token_id=1, **FIVE, **MULTI),
         (8, 4, 1, 6)),
    Case("gemma2-topics", "gemma2",
         llama_sizes(3, 1, 4, 3, 11, 16, head_dim=4, sliding_window=3, query_pre_attn_scalar=5,
                     attn_logit_softcapping=2.0, pad_token_id=0, **labels("sports", "politics", "science")),
         (9, 4, 1, 6), dtype=torch.bfloat16),
    Case("gemma3-binary", "gemma3_text",
         llama_sizes(2, 1, 6, 2, 9, 16, head_dim=6, sliding_window=3, query_pre_attn_scalar=7, pad_token_id=0,
                     num_labels=2), (8, 5, 1, 4)),
    Case("phi3-regression", "phi3", llama_sizes(2, 2, 6, 2, 13, 16, pad_token_id=0, num_labels=1), (7, 5, 1, 3)),
    Case("opt-binary", "opt",
         dict(vocab_size=21, hidden_size=12, num_attention_heads=3, ffn_dim=17, num_hidden_layers=2,
              max_position_embeddings=16, word_embed_proj_dim=12, pad_token_id=1, bos_token_id=2, eos_token_id=2,
              num_labels=2), (9, 5, 1, 4)),
    Case("bart-entailment", "bart",
         bart_sizes((1, 3, 13), (2, 2, 9), 12, activation_function="gelu", scale_embedding=True,
                    **labels("contradiction", "neutral", "entailment")), (9, 5, 2, 6)),
    Case("t5-multilabel", "t5", t5_sizes(12, 3, 5, 14, 2, 2, feed_forward_proj="relu", **FIVE, **MULTI), (9, 4, 1, 5)),
    Case("mt5-regression", "mt5",
         t5_sizes(10, 2, 6, 11, 1, 2, feed_forward_proj="gated-gelu", tie_word_embeddings=False, num_labels=1),
         (8, 3, 1, 5), dtype=torch.float16),
    Case("modernbert-binary", "modernbert",
         families.modernbert_sizes(12, 2, 3, 9, local_attention=4, global_attn_every_n_layers=2, classifier_bias=True,
                                   num_labels=2), (9, 5, 1, 4)),
    Case("modernbert-mean", "modernbert",
         families.modernbert_sizes(12, 2, 3, 9, local_attention=4, global_attn_every_n_layers=2,
                                   classifier_pooling="mean", num_labels=3), (6, 9, 1, 4)),
    Case("modernbert-topics", "modernbert",
         families.modernbert_sizes(12, 3, 2, 7, local_attention=2, norm_bias=True, attention_bias=True, mlp_bias=True,
                                   hidden_activation="silu", classifier_activation="relu",
                                   **labels("sports", "politics", "science")), (8, 6, 1, 3), dtype=torch.bfloat16),
    Case("deberta-entailment", "deberta-v2",
         families.deberta_sizes(12, 3, 2, 13, position_buckets=6, share_att_key=True, norm_rel_ebd="layer_norm",
                                position_biased_input=False, pos_att_type=["p2c", "c2p"],
                                **labels("contradiction", "neutral", "entailment")), (12, 5, 1, 6)),
    Case("deberta-regression", "deberta-v2",
         families.deberta_sizes(10, 2, 2, 9, max_relative_positions=4, pos_att_type=["c2p"], type_vocab_size=2,
                                pooler_hidden_act="tanh", num_labels=1), (9, 4, 1, 5), dtype=torch.float16),
]


ENCODERS = ("modernbert", "deberta-v2")


def hooked_classes(family):
    name = {"gpt2": "GPT2", "llama": "Llama", "mistral": "Mistral", "qwen2": "Qwen2", "qwen3": "Qwen3",
            "gpt_neox": "GPTNeoX", "gemma2": "Gemma2", "gemma3_text": "Gemma3Text", "phi3": "Phi3", "opt": "OPT",
            "bart": "Bart", "t5": "T5", "mt5": "MT5", "modernbert": "ModernBert", "deberta-v2": "DebertaV2"}[family]
    return getattr(transformers, name + "Config"), getattr(transformers, name + "ForSequenceClassification")


def make_model(case):
    """Random weights, wide enough that attention is far from uniform, but not so wide that rounding shows."""
    config_class, model_class = CLASSES[case.family] if case.family in CLASSES else hooked_classes(case.family)
    torch.manual_seed(zlib.crc32(case.name.encode()))
    model = model_class._from_config(config_class(**case.config), attn_implementation="eager").eval()
    width = getattr(model.config, "hidden_size", 0) or model.config.d_model
    spread = 1.4 / width ** 0.5
    for name, parameter in model.named_parameters():
        noise = torch.randn(parameter.shape)
        norm = parameter.dim() == 1 and name.endswith("weight")
        norm = norm and not case.family.startswith("gemma")  # whose weights are stored less one
        parameter.data = 1 + 0.2 * noise if norm else (0.2 if parameter.dim() == 1 else spread) * noise
    if case.prune:
        model.prune_heads(case.prune)
    return model.to(case.dtype).to(torch.float32)  # what a file of this dtype can hold


# --- Writing ----------------------------------------------------------------------------------------------------------

def save(case, model, folder):
    model.config.torch_dtype = case.dtype
    state = {name: tensor.to(case.dtype).clone() for name, tensor in model.state_dict().items()}
    if case.container == "legacy bin":
        state = collections.OrderedDict(state)
        state._metadata = model.state_dict()._metadata  # a BUILD instruction, as in files of before 2022
    if case.change:
        state = case.change(state)
    sharded = case.container.startswith("sharded")
    model.config.architectures = [type(model).__name__]
    model.config.save_pretrained(folder)
    if case.container == "safetensors":
        safetensors.torch.save_file(state, folder / "model.safetensors", metadata={"format": "pt"})
    elif case.container == "bin":
        torch.save(state, folder / "pytorch_model.bin")
    elif case.container == "legacy bin":
        torch.save(state, folder / "pytorch_model.bin", _use_new_zipfile_serialization=False)
    elif sharded:
        save_shards(state, folder, "safetensors" in case.container)
    if case.edit:
        path = folder / "config.json"
        config = json.loads(path.read_text())
        case.edit(config)
        path.write_text(json.dumps(config, indent=2, sort_keys=True) + "\n")


def save_shards(state, folder, safe):
    """Two shards, tensors dealt out in turn, in the layout of save_pretrained."""
    stem, ending = ("model", "safetensors") if safe else ("pytorch_model", "bin")
    files = [f"{stem}-{i + 1:05}-of-00002.{ending}" for i in range(2)]
    names = list(state)
    for i, file in enumerate(files):
        part = {name: state[name] for name in names[i::2]}
        if safe:
            safetensors.torch.save_file(part, folder / file, metadata={"format": "pt"})
        else:
            torch.save(part, folder / file)
    index = {"metadata": {"total_size": sum(t.numel() * t.element_size() for t in state.values())},
             "weight_map": {name: files[i % 2] for i, name in enumerate(names)}}
    (folder / f"{stem}.{ending}.index.json").write_text(json.dumps(index, sort_keys=True) + "\n")


# --- Inputs and outputs -----------------------------------------------------------------------------------------------

def problem(config):
    if config.problem_type:
        return config.problem_type
    return "regression" if config.num_labels == 1 else "single_label_classification"


def make_rows(case, config):
    """A row of the greatest length and shorter ones that contain the padding id, types of pairs or of anything, and a
    label."""
    torch.manual_seed(zlib.crc32(case.name.encode()) + 1)
    types = getattr(config, "type_vocab_size", 0)
    rows = []
    for i, length in enumerate(case.lengths):
        ids = torch.randint(config.pad_token_id + 1, config.vocab_size, (length,))
        if i > 0 and length > 1:
            ids[length // 2] = config.pad_token_id  # counts like any other token, but not for RoBERTa's positions
        row = {"input_ids": ids.tolist()}
        if types == 2 and i % 2 == 0:
            row["token_type_ids"] = [int(t > length // 3) for t in range(length)]
        elif types > 2 or types == 1 and i == 0:
            row["token_type_ids"] = torch.randint(0, types, (length,)).tolist()
        kind = problem(config)
        if kind == "regression":
            row["label"] = round(torch.randn(()).item(), 3)
        elif kind == "multi_label_classification":
            row["label"] = [[1, 3], [], [0, 1, 2, 3, 4], [2]][i]
        else:
            row["label"] = int(torch.randint(0, config.num_labels, ()))
        rows.append(row)
    return rows


def padded(rows, pad_id, with_types):
    longest = max(len(row["input_ids"]) for row in rows)
    def fill(values, rest):
        return torch.tensor([list(v) + [rest] * (longest - len(v)) for v in values])
    batch = {"input_ids": fill([row["input_ids"] for row in rows], pad_id),
             "attention_mask": fill([[1] * len(row["input_ids"]) for row in rows], 0)}
    if with_types and any("token_type_ids" in row for row in rows):
        batch["token_type_ids"] = fill([row.get("token_type_ids", [0] * len(row["input_ids"])) for row in rows], 0)
    return batch


def target(row, config):
    kind = problem(config)
    if kind == "regression":
        return torch.tensor([row["label"]])
    if kind == "multi_label_classification":
        return torch.tensor([[float(i in row["label"]) for i in range(config.num_labels)]])
    return torch.tensor([row["label"]])


class HeadMask:
    """Hugging Face's head_mask by layer. A plain [layers, heads] tensor cannot say anything where layers have different
    numbers of heads, so the layers' masks are handed over past the function that would spread the tensor."""

    def __init__(self, model, heads):
        self.base = model.base_model
        self.layers = [torch.ones(len(layer)) for layer in heads]
        self.heads = heads

    def without(self, masked):
        for layer, head in masked:
            self.layers[layer][self.heads[layer].index(head)] = 0
        return self

    def with_gradients(self, dtype):
        self.layers = [layer.to(dtype).requires_grad_() for layer in self.layers]
        return self

    def __enter__(self):
        self.base.get_head_mask = lambda *_, **__: [layer.view(1, -1, 1, 1) for layer in self.layers]
        return self

    def __exit__(self, *_):
        del self.base.get_head_mask


def heads_of(config):
    pruned = {int(layer): set(heads) for layer, heads in config.pruned_heads.items()}
    return [[head for head in range(config.num_attention_heads) if head not in pruned.get(layer, ())]
            for layer in range(config.num_hidden_layers)]


def masks_for(heads, name):
    """One head; every head of the last layer that has any; half of all heads by chance; all."""
    generator = torch.Generator().manual_seed(zlib.crc32(name.encode()) + 2)
    everything = [[layer, head] for layer, present in enumerate(heads) for head in present]
    last = everything[-1][0]
    chosen = torch.randperm(len(everything), generator=generator)[:(len(everything) + 1) // 2].tolist()
    return [[everything[0]], [pair for pair in everything if pair[0] == last], sorted(everything[i] for i in chosen),
            everything]


def largest(a, b):
    return (a.double() - b.double()).abs().max().item() if a.numel() else 0.0


def digits(tensor):
    return [round(float(f"{value:.7g}"), 9) for value in tensor.flatten().tolist()]


def evaluate(case, model, rows, noise):
    config = model.config
    with_types = case.family != "distilbert"
    heads = heads_of(config)
    batch = padded(rows, config.pad_token_id, with_types)
    output = model(**batch, output_attentions=True)
    exact = model.double()(**batch, output_attentions=True)
    model.float()
    noise["logits"] = largest(output.logits, exact.logits)
    noise["attention"] = max(largest(a, b) for a, b in zip(output.attentions, exact.attentions))
    for i, row in enumerate(rows):
        length = len(row["input_ids"])
        alone = model(**padded([row], config.pad_token_id, with_types), labels=target(row, config),
                      output_attentions=True)
        assert largest(alone.logits[0], output.logits[i]) < 1e-5, case.name
        row["logits"] = digits(output.logits[i])
        row["loss"] = float(f"{alone.loss.item():.7g}")
        row["attention"] = [[digits(layer[i, head, :length, :length]) for head in range(layer.shape[1])]
                            for layer in output.attentions]
    masks = []
    for masked in masks_for(heads, case.name):
        with HeadMask(model, heads).without(masked):
            masks.append({"heads": masked, "logits": [digits(l) for l in model(**batch).logits]})
    return heads, masks


def check_against_plain_head_mask(case, model, batch, masks):
    """Where no layer is pruned the mask as users pass it must say the same as HeadMask."""
    if model.config.pruned_heads:
        return
    for mask in masks:
        plain = torch.ones(model.config.num_hidden_layers, model.config.num_attention_heads)
        for layer, head in mask["heads"]:
            plain[layer, head] = 0
        expected = torch.tensor(mask["logits"])
        assert largest(model(**batch, head_mask=plain).logits, expected) < 1e-5, case.name


def gradients(case, model, row, heads, dtype):
    model.to(dtype)
    wanted = target(row, model.config)
    with torch.enable_grad(), HeadMask(model, heads).with_gradients(dtype) as mask:
        loss = model(**padded([row], model.config.pad_token_id, case.family != "distilbert"),
                     labels=wanted.to(dtype) if wanted.is_floating_point() else wanted).loss
        found = torch.autograd.grad(loss, mask.layers, allow_unused=True)
    model.float()
    return [torch.zeros(0) if gradient is None else gradient for gradient in found]  # None: the layer has no heads


def importance(case, model, rows, heads, noise):
    """In double precision: in single, Hugging Face's own gradients can be off by as much as tests allow."""
    total = [torch.zeros(len(layer), dtype=torch.float64) for layer in heads]
    noise["gradients"] = 0.0
    for row in rows:
        exact = gradients(case, model, row, heads, torch.float64)
        row["gate_gradients"] = [digits(gradient) for gradient in exact]
        single = gradients(case, model, row, heads, torch.float32)
        noise["gradients"] = max([noise["gradients"], *(largest(a, b) for a, b in zip(exact, single))])
        for sum_, gradient in zip(total, exact):
            sum_ += gradient.abs()
    return [digits(layer) for layer in total]


def reopened(case, folder, model):
    """The model as Hugging Face reads it from the folder, where it can (not without the prefix of the base model)."""
    if not case.loads:
        return model
    loaded, info = type(model).from_pretrained(folder, attn_implementation="eager",
                                                           torch_dtype=torch.float32, output_loading_info=True)
    assert not info["missing_keys"] and not info["mismatched_keys"] and not info["error_msgs"], (case.name, info)
    # Hugging Face itself passes over position_ids.
    assert set(info["unexpected_keys"]) <= set(case.extras), (case.name, info)
    for (name, a), (_, b) in zip(model.state_dict().items(), loaded.state_dict().items()):
        assert torch.equal(a, b), (case.name, name)
    return loaded.eval()


# --- Models with hooks ------------------------------------------------------------------------------------------------

class Gates:
    """Multiplies what every head gives to its layer's output projection."""

    def __init__(self, model, stacks, dtype=torch.float32):
        self.model, self.stacks = model, stacks
        self.gates = {kind: [torch.ones(len(heads), dtype=dtype) for heads in stack["heads"]]
                      for kind, stack in stacks.items()}

    def without(self, masked):
        for kind, layer, head in masked:
            self.gates[kind][layer][head] = 0
        return self

    def with_gradients(self):
        for gate in self.leaves():
            gate.requires_grad_()
        return self

    def leaves(self):
        return [gate for layers in self.gates.values() for gate in layers]

    def __enter__(self):
        self.handles = []
        for (kind, layer), module in families.attentions(inner(self.model)):
            def hook(_, inputs, gate=self.gates[kind][layer]):
                parts = inputs[0].unflatten(-1, (len(gate), -1)) * gate.unsqueeze(-1)
                return (parts.flatten(-2), *inputs[1:])
            self.handles.append(families.output_projection(module).register_forward_pre_hook(hook))
        return self

    def __exit__(self, *_):
        for handle in self.handles:
            handle.remove()


def inner(model):
    return model.transformer if type(model).__name__ in ("T5ForSequenceClassification",
                                                         "MT5ForSequenceClassification") else model


def hooked_rows(case, config):
    """As make_rows(); rows of decoders may end with padding, rows of encoder-decoders have one end token, and the third
    something after it."""
    torch.manual_seed(zlib.crc32(case.name.encode()) + 1)
    special = {token for token in (config.pad_token_id, config.eos_token_id, config.bos_token_id) if token is not None}
    usual = torch.tensor([id_ for id_ in range(config.vocab_size) if id_ not in special])
    rows = []
    for i, length in enumerate(case.lengths):
        ids = usual[torch.randint(0, len(usual), (length,))].tolist()
        row = {"input_ids": ids}
        if config.is_encoder_decoder:
            ids[-1] = config.eos_token_id
            if i == 3:
                ids[-2:] = [ids[-1], ids[0]]
        elif config.pad_token_id is not None and case.family not in ENCODERS:
            if i == 1:
                ids[length // 2] = config.pad_token_id
            if i == 3:
                ids[-1] = config.pad_token_id
            if i == 2:
                ids[0] = config.pad_token_id  # nothing but padding
        kind = problem(config)
        if kind == "regression":
            row["label"] = round(torch.randn(()).item(), 3)
        elif kind == "multi_label_classification":
            row["label"] = [[1, 3], [], [0, 1, 2, 3, 4], [2]][i]
        else:
            row["label"] = int(torch.randint(0, config.num_labels, ()))
        rows.append(row)
    return rows


def read_of(ids, config):
    """What the decoder reads, up to the position that is classified."""
    if config.is_encoder_decoder:
        last = max(i for i, id_ in enumerate(ids) if id_ == config.eos_token_id)
        return [config.decoder_start_token_id] + ids[:last]
    last = max([i for i, id_ in enumerate(ids) if id_ != config.pad_token_id], default=0)
    return ids[:last + 1]


def attentions_of(output, config):
    if config.is_encoder_decoder:
        return {"encoder": output.encoder_attentions, "decoder": output.decoder_attentions,
                "cross": output.cross_attentions}
    return {"encoder" if config.model_type in ENCODERS else "decoder": output.attentions}


def hooked_row(case, model, stacks, row, noise):
    config = model.config
    ids = row["input_ids"]
    batch = {"input_ids": torch.tensor([ids]), "attention_mask": torch.ones(1, len(ids), dtype=torch.long)}
    output = model(**batch, labels=target(row, config), output_attentions=True)
    read = ids
    if case.family not in ENCODERS:
        read = row["read"] = read_of(ids, config)
    sizes_ = {"encoder": (len(ids), len(ids)), "decoder": (len(read), len(read)), "cross": (len(read), len(ids))}
    row["logits"] = digits(output.logits[0])
    row["loss"] = float(f"{output.loss.item():.7g}")
    row["attention"] = {
        kind: [[digits(layer[0, head, :sizes_[kind][0], :sizes_[kind][1]]) for head in range(layer.shape[1])]
               for layer in layers] for kind, layers in attentions_of(output, config).items()}
    found = {}
    for dtype in (torch.float32, torch.float64):
        torch.set_default_dtype(dtype)  # some classes make tensors of their own
        model.to(dtype)
        wanted = target(row, config)
        with torch.enable_grad(), Gates(model, stacks, dtype).with_gradients() as gates:
            own = model(**batch, labels=wanted.to(dtype) if wanted.is_floating_point() else wanted)
            gradients_ = torch.autograd.grad(own.loss, gates.leaves(), allow_unused=True)
            found[dtype] = (own.logits.detach(),
                            [torch.zeros_like(g) if d is None else d for g, d in zip(gates.leaves(), gradients_)])
    torch.set_default_dtype(torch.float32)
    model.float()
    noise["logits"] = max(noise["logits"], largest(found[torch.float32][0], found[torch.float64][0]))
    noise["gradients"] = max([noise["gradients"], *(largest(a, b) for a, b in zip(found[torch.float32][1],
                                                                                   found[torch.float64][1]))])
    left = iter(found[torch.float64][1])
    exact = {kind: [next(left) for _ in stack["heads"]] for kind, stack in stacks.items()}
    row["gate_gradients"] = {kind: [digits(gradient) for gradient in layers] for kind, layers in exact.items()}
    return exact


def make_hooked(case, model, folder):
    config = model.config
    stacks = families.stacks_of(inner(model))
    rows = hooked_rows(case, config)
    noise = {"logits": 0.0, "gradients": 0.0}
    total = None
    for row in rows:
        exact = hooked_row(case, model, stacks, row, noise)
        if total is None:
            total = {kind: [torch.zeros_like(layer) for layer in layers] for kind, layers in exact.items()}
        for kind, layers in exact.items():
            for sum_, gradient in zip(total[kind], layers):
                sum_ += gradient.abs()

    def logits_of(gates):
        with gates:
            return [model(input_ids=torch.tensor([row["input_ids"]]),
                          attention_mask=torch.ones(1, len(row["input_ids"]), dtype=torch.long)).logits[0]
                    for row in rows]
    if config.pad_token_id is not None:  # a padded batch says the same
        batch = padded(rows, config.pad_token_id, False)
        if not (config.is_encoder_decoder and len({row["input_ids"].count(config.eos_token_id) for row in rows}) > 1):
            for row, logits in zip(rows, model(**batch).logits):
                assert largest(logits, torch.tensor(row["logits"])) < 1e-5, case.name
    masks = [{"heads": masked, "logits": [digits(l) for l in logits_of(Gates(model, stacks).without(masked))]}
             for masked in families.masks_for(stacks, zlib.crc32(case.name.encode()))]
    golden = {
        "made_by": "tests/goldens/make_classifier_goldens.py",
        "transformers": transformers.__version__,
        "torch": torch.__version__,
        "safetensors": safetensors.__version__,
        "container": f"{case.container}, {str(case.dtype).removeprefix('torch.')}",
        "family": config.model_type,
        "loads_in_transformers": case.loads,
        "problem": problem(config),
        "labels": [config.id2label[i] for i in range(config.num_labels)],
        "width": getattr(config, "hidden_size", 0) or config.d_model,
        "stacks": stacks,
        "extra_tensors": list(case.extras),
        "importance": {kind: [digits(layer) for layer in layers] for kind, layers in total.items()},
        "noise": {key: float(f"{value:.1e}") for key, value in noise.items()},
        "masks": masks,
        "rows": rows,
    }
    return write_golden(case, golden, folder, noise)


def write_golden(case, golden, folder, noise):
    text = ",\n".join(f"{json.dumps(key)}: {lines(value)}" for key, value in golden.items())
    (folder / "golden.json").write_text("{" + text + "}\n")
    size = sum(file.stat().st_size for file in folder.iterdir())
    print(f"{case.name:24} {size:6} bytes, noise {golden['noise']}, first logits {golden['rows'][0]['logits']}")
    assert size < FOLDER_LIMIT, case.name
    assert noise["logits"] < HOOKED_NOISE_LIMIT, case.name
    return size


def make(case, folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    torch.set_grad_enabled(False)
    model = make_model(case)
    save(case, model, folder)
    model = reopened(case, folder, model)
    if case in HOOKED:
        return make_hooked(case, model, folder)
    config = model.config
    rows = make_rows(case, config)
    noise = {}
    heads, masks = evaluate(case, model, rows, noise)
    check_against_plain_head_mask(case, model, padded(rows, config.pad_token_id, case.family != "distilbert"), masks)
    golden = {
        "made_by": "tests/goldens/make_classifier_goldens.py",
        "transformers": transformers.__version__,
        "torch": torch.__version__,
        "safetensors": safetensors.__version__,
        "container": f"{case.container}, {str(case.dtype).removeprefix('torch.')}",
        "family": case.family,
        "loads_in_transformers": case.loads,
        "problem": problem(config),
        "labels": [config.id2label[i] for i in range(config.num_labels)],
        "pad_token_id": config.pad_token_id,
        "width": config.hidden_size,
        "head_width": config.hidden_size // config.num_attention_heads,
        "heads": heads,
        "extra_tensors": list(case.extras),
        "importance": importance(case, model, rows, heads, noise),
        "noise": {key: float(f"{value:.1e}") for key, value in noise.items()},
        "masks": masks,
        "rows": rows,
    }
    text = ",\n".join(f"{json.dumps(key)}: {lines(value)}" for key, value in golden.items())
    (folder / "golden.json").write_text("{" + text + "}\n")
    size = sum(file.stat().st_size for file in folder.iterdir())
    peaked = max(value for row in rows if len(row["input_ids"]) > 3 for layer in row["attention"] for head in layer
                 for value in head)
    print(f"{case.name:24} {size:6} bytes, largest attention {peaked:.3f}, noise {golden['noise']}, "
          f"first logits {rows[0]['logits']}")
    assert size < FOLDER_LIMIT, case.name
    assert max(noise["logits"], noise["attention"]) < NOISE_LIMIT, case.name
    return size


def lines(value):
    """Lists of objects one object a line, so that differences between two runs can be read."""
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return "[\n" + ",\n".join(json.dumps(item, separators=(",", ":")) for item in value) + "]"
    return json.dumps(value)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("name", nargs="*", help="only these")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    cases = [case for case in (HOOKED if families.IS_NEW else CASES)
             if not arguments.name or case.name in arguments.name]
    total = sum(make(case, arguments.folder / case.name) for case in cases)
    print(f"{len(cases)} folders, {total} bytes")
    assert total < TOTAL_LIMIT
    return 0


if __name__ == "__main__":
    sys.exit(main())

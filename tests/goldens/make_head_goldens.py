#!/usr/bin/env python3
"""Writes heads.json into some folders of tests/goldens/families: what detectors of heads say of the model on repeated
random tokens, by plain loops over transformers with hooks, and what its weights say, by plain products of whole D × D
and V × V matrices.

    python3 -m venv venv
    venv/bin/pip install torch==2.13.0 transformers==5.24.0 transformer-lens==4.3.0
    venv/bin/python tests/goldens/make_head_goldens.py tests/goldens/families gpt2-hub llama-grouped pythia

Version 5 refuses the shapes of some other folders, so that these are made with 4.57.1:

    venv57/bin/pip install torch==2.13.0 transformers==4.57.1
    venv57/bin/python tests/goldens/make_head_goldens.py tests/goldens/families gemma2 olmo2 qwen3 opt-post bert-mlm bart-cnn

The project itself needs no Python, and the build does not run this. All of it is float64 from weights widened to it;
numbers have 9 significant digits.
  length, seed  of the sequences: `sequences` of random ids, twice in succession, drawn without replacement by NumPy's
                default generator (one permutation goes on over all sequences)
  detect        of models with a single stack; by head ([kind, layer, head]) and detector the means over sequences;
                sink_queries: share of the second copy's queries that give the first position more than 0.3; of decoders
                copying and copying_gain: what the head's output adds to the attended token's logit beyond the mean of
                all logits, through norms whose divisors are held, as a share of queries above zero and as a mean
  weights       by head: ov and qk with norm, effective_rank, singular (values), eigenvalue_score, vocabulary_score and
                bias_norm; vocabulary: absolute eigenvalues of the map from tokens to tokens; null: none
  composition   [input, receiver, sender, score, projection kernel], for all pairs of which one reads what the other has
                written
  tokens        token, top, directions; by head writes (what the head adds to the logits of the token it attends to) and
                matches (keys by the query), as {highest, lowest} of [id, value] less the mean over the vocabulary, and
                rank, that of the token itself; ov and qk: by singular direction its value, and from and to as these.
                The sign of a direction is that with which the furthest token at `to` (or, if there is none, at `from`)
                is a highest one
  transformer_lens   the version of TransformerLens that gives the same norms, eigenvalues, singular values,
                compositions, projection kernels, tokens and directions to 1e-4 of the largest; absent: it was not asked
                (it has no such model, or folds otherwise)
"""
import json
import pathlib
import shutil
import sys
import tempfile

import numpy as np
import torch
from transformers import AutoModelForCausalLM, AutoModelForMaskedLM, AutoModelForSeq2SeqLM

CAUSAL = ["gpt2-hub", "llama-grouped", "pythia", "gemma2", "olmo2", "qwen3", "opt-post"]
FOLDERS = {**{name: AutoModelForCausalLM for name in CAUSAL}, "bert-mlm": AutoModelForMaskedLM,
           "bart-cnn": AutoModelForSeq2SeqLM}
LENS = ["gpt2-hub", "llama-grouped", "pythia"]
LENGTH, SEQUENCES, SEED, SINK = 6, 7, 12345, 0.3
TOKEN, TOP, DIRECTIONS = 5, 3, 2


def array(tensor):
    return tensor.detach().double().numpy()


class Norm:
    """A norm as a linear map but for what it divides by; `module` None: there is none."""

    def __init__(self, module, plus_one=False):
        self.module = module
        self.centres = isinstance(module, torch.nn.LayerNorm)
        if module is not None:
            weight = array(module.weight)
            self.weight = weight + 1 if plus_one else weight
            bias = getattr(module, "bias", None)
            self.bias = np.zeros_like(weight) if bias is None else array(bias)
            self.epsilon = getattr(module, "eps", None) or module.variance_epsilon

    def matrix(self, width):
        if self.module is None:
            return np.eye(width)
        centre = np.eye(width) - (np.full((width, width), 1 / width) if self.centres else 0)
        return np.diag(self.weight) @ centre

    def divisor(self, x):
        centred = x - x.mean(-1, keepdims=True) if self.centres else x
        return np.sqrt((centred ** 2).mean(-1, keepdims=True) + self.epsilon)


class Attention:
    """One attention: matrices by head, the norms around it, and the modules that hooks sit on."""

    def __init__(self, kind, layer, projections, heads, key_heads, width, reads, memory=None, after=None):
        self.kind, self.layer, self.count, self.width = kind, layer, heads, width
        (q, bq), (k, _), (v, bv), (o, _) = projections
        share = heads // key_heads
        rows = lambda matrix, head: matrix[head * width:(head + 1) * width]
        self.q = [rows(q, h) for h in range(heads)]
        self.k = [rows(k, h // share) for h in range(heads)]
        self.v = [rows(v, h // share) for h in range(heads)]
        self.o = [o[:, h * width:(h + 1) * width] for h in range(heads)]
        self.bq = [rows(bq, h) for h in range(heads)]
        self.bv = [rows(bv, h // share) for h in range(heads)]
        self.reads, self.memory, self.after = reads, memory or reads, after  # after: a norm of the output


def linear(module):
    bias = array(module.bias) if module.bias is not None else np.zeros(module.weight.shape[0])
    return array(module.weight), bias


def parts_of(name, model):
    """The attentions in order, (embedding [V, D], output matrix [V, D], the norm before it), and the modules whose
    inputs are contexts; sums: by attention the norms of sums from its own on."""
    config = model.config
    if name == "gpt2-hub":
        width = config.n_embd // config.n_head
        found = []
        for i, block in enumerate(model.transformer.h):
            fused, bias = array(block.attn.c_attn.weight).T, array(block.attn.c_attn.bias)
            split = lambda x: np.split(x, 3)
            projections = list(zip(split(fused), split(bias)))
            projections.append((array(block.attn.c_proj.weight).T, array(block.attn.c_proj.bias)))
            found.append((Attention("decoder", i, projections, config.n_head, config.n_head, width, Norm(block.ln_1)),
                          block.attn.c_proj))
        return found, (model.transformer.wte, model.lm_head, Norm(model.transformer.ln_f)), {}
    if name == "pythia":
        heads = config.num_attention_heads
        width = config.hidden_size // heads
        found = []
        for i, block in enumerate(model.gpt_neox.layers):
            fused, bias = linear(block.attention.query_key_value)
            split = lambda x: [x.reshape(heads, 3, width, -1)[:, j].reshape(heads * width, -1) for j in range(3)]
            projections = [(m, b[:, 0]) for m, b in zip(split(fused), split(bias))]
            projections.append(linear(block.attention.dense))
            found.append((Attention("decoder", i, projections, heads, heads, width, Norm(block.input_layernorm)),
                          block.attention.dense))
        return found, (model.gpt_neox.embed_in, model.embed_out if hasattr(model, "embed_out") else model.lm_head,
                       Norm(model.gpt_neox.final_layer_norm)), {}
    if name in ("llama-grouped", "gemma2", "olmo2", "qwen3"):
        plus = name == "gemma2"
        heads, keys = config.num_attention_heads, config.num_key_value_heads
        width = getattr(config, "head_dim", None) or config.hidden_size // heads
        found = []
        for i, block in enumerate(model.model.layers):
            own = block.self_attn
            q, k, v, o = map(linear, (own.q_proj, own.k_proj, own.v_proj, own.o_proj))
            if name in ("qwen3", "olmo2"):  # norms of queries and keys multiply
                scale = lambda norm, pair: (pair[0] * np.resize(array(norm.weight), len(pair[0]))[:, None],
                                            pair[1] * np.resize(array(norm.weight), len(pair[0])))
                q, k = scale(own.q_norm, q), scale(own.k_norm, k)
            reads = Norm(None) if name == "olmo2" else Norm(block.input_layernorm, plus)
            after = Norm(block.post_attention_layernorm, plus) if name in ("gemma2", "olmo2") else None
            found.append((Attention("decoder", i, [q, k, v, o], heads, keys, width, reads, after=after), own.o_proj))
        return found, (model.model.embed_tokens, model.lm_head, Norm(model.model.norm, plus)), {}
    if name == "opt-post":
        heads = config.num_attention_heads
        layers = model.model.decoder.layers
        found, sums = [], {}
        for i, block in enumerate(layers):
            own = block.self_attn
            reads = Norm(layers[i - 1].final_layer_norm) if i else Norm(None)
            projections = list(map(linear, (own.q_proj, own.k_proj, own.v_proj, own.out_proj)))
            found.append((Attention("decoder", i, projections, heads, heads, config.hidden_size // heads, reads),
                          own.out_proj))
            sums[i] = [Norm(norm) for later in layers[i:]
                       for norm in (later.self_attn_layer_norm, later.final_layer_norm)]
        return found, (model.model.decoder.embed_tokens, model.lm_head, Norm(layers[-1].final_layer_norm)), sums
    if name == "bert-mlm":
        heads = config.num_attention_heads
        layers = model.bert.encoder.layer
        found = []
        for i, block in enumerate(layers):
            own = block.attention.self
            reads = Norm(layers[i - 1].output.LayerNorm if i else model.bert.embeddings.LayerNorm)
            projections = list(map(linear, (own.query, own.key, own.value, block.attention.output.dense)))
            found.append((Attention("encoder", i, projections, heads, heads, config.hidden_size // heads, reads),
                          block.attention.output.dense))
        return found, None, {}
    found, crosses = [], []
    for kind, stack in (("encoder", model.model.encoder), ("decoder", model.model.decoder)):
        heads = config.encoder_attention_heads if kind == "encoder" else config.decoder_attention_heads
        for i, block in enumerate(stack.layers):
            reads = Norm(stack.layers[i - 1].final_layer_norm if i else stack.layernorm_embedding)
            take = lambda own: list(map(linear, (own.q_proj, own.k_proj, own.v_proj, own.out_proj)))
            width = config.d_model // heads
            found.append((Attention(kind, i, take(block.self_attn), heads, heads, width, reads), None))
            if kind == "decoder":
                memory = Norm(model.model.encoder.layers[-1].final_layer_norm)
                crosses.append((Attention("cross", i, take(block.encoder_attn), heads, heads, width,
                                          Norm(block.self_attn_layer_norm), memory), None))
    last = Norm(model.model.decoder.layers[-1].final_layer_norm)
    return found + crosses, (model.model.decoder.embed_tokens, model.lm_head, last), {}


def sequences(vocabulary):
    random = np.random.default_rng(SEED)
    tokens = list(range(vocabulary))
    rows = []
    for _ in range(SEQUENCES):
        for i in range(LENGTH):
            at = i + int(random.integers(0, vocabulary - i))
            tokens[i], tokens[at] = tokens[at], tokens[i]
        rows.append(tokens[:LENGTH] * 2)
    return rows


def copying(attention, head, context, query, token, tables, kept, sums):
    """What the head's output at a query adds to a token's logit, less the mean over the vocabulary."""
    _, output, last = tables
    width = attention.width
    x = attention.o[head] @ context[query, head * width:(head + 1) * width]

    def through(norm, x):
        centred = x - x.mean() if norm.centres else x
        return centred * norm.weight / norm.divisor(kept[norm.module][query])
    if attention.after:
        x = through(attention.after, x)
    for norm in sums.get(attention.layer, [last]):
        x = through(norm, x)
    logits = array(output.weight) @ x
    return logits[token] - logits.mean()


def detected(model, parts, tables, sums):
    rows = sequences(model.config.vocab_size)
    found = {(a.kind, a.layer, h): {} for a, _ in parts for h in range(a.count)}
    norms = {norm.module for a, _ in parts for norm in [a.after] if norm}
    norms |= {norm.module for some in sums.values() for norm in some} | ({tables[2].module} if tables else set())
    for ids in rows:
        contexts, kept, handles = {}, {}, []
        for attention, module in parts:
            handles.append(module.register_forward_pre_hook(
                lambda _, inputs, layer=attention.layer: contexts.__setitem__(layer, array(inputs[0][0]))))
        for module in norms:
            handles.append(module.register_forward_pre_hook(
                lambda module, inputs: kept.__setitem__(module, array(inputs[0][0]))))
        with torch.no_grad():
            attentions = model(input_ids=torch.tensor([ids]), output_attentions=True).attentions
        for handle in handles:
            handle.remove()
        for attention, _ in parts:
            weights = array(attentions[attention.layer][0])
            for head in range(attention.count):
                a = weights[head]
                second = range(LENGTH, 2 * LENGTH)
                scores = {"induction": [a[t, t - LENGTH + 1] for t in second],
                          "previous-token": [a[t, t - 1] for t in range(1, 2 * LENGTH)],
                          "duplicate-token": [a[t, t - LENGTH] for t in second],
                          "first-token": [a[t, 0] for t in second],
                          "sink_queries": [float(a[t, 0] > SINK) for t in second]}
                if tables:
                    gains = [copying(attention, head, contexts[attention.layer], t, ids[int(a[t].argmax())], tables,
                                     kept, sums) for t in second]
                    scores["copying"] = [float(gain > 0) for gain in gains]
                    scores["copying_gain"] = gains
                for key, values in scores.items():
                    found[attention.kind, attention.layer, head].setdefault(key, []).append(np.mean(values))
    return {"ids": rows, "heads": [{"head": list(head), **{key: number(np.mean(values))
                                                           for key, values in scores.items()}}
                                   for head, scores in found.items()]}


def number(value):
    return None if value is None else float(f"{value:.9g}")


def score(matrix):
    values = np.linalg.eigvals(matrix)
    size = np.abs(values).sum()
    return None if size < 1e-5 * np.linalg.norm(matrix) else (values.sum() / size).real


def circuit(matrix, over_vocabulary, bias, rank):
    singular = np.linalg.svd(matrix, compute_uv=False)[:rank]
    shares = singular ** 2 / (singular ** 2).sum()
    shares = shares[shares > 0]
    return {"norm": number(np.linalg.norm(matrix)), "effective_rank": number(np.exp(-(shares * np.log(shares)).sum())),
            "singular": [number(value) for value in singular], "eigenvalue_score": number(score(matrix)),
            "vocabulary_score": None if over_vocabulary is None else number(score(over_vocabulary)),
            "vocabulary": None if over_vocabulary is None else
            [number(value) for value in np.sort(np.abs(np.linalg.eigvals(over_vocabulary)))[::-1][:rank]],
            "bias_norm": number(np.linalg.norm(bias))}


def reads_of(receiver, sender):
    """The inputs of one attention that read what the other has written."""
    if receiver.kind == "cross":
        if sender.kind == "encoder":
            return "kv"
        return "q" if (sender.layer, sender.kind == "cross") < (receiver.layer, True) else ""
    same = sender.kind == receiver.kind or {sender.kind, receiver.kind} == {"decoder", "cross"}
    return "qkv" if same and sender.layer < receiver.layer else ""


def basis(matrix):
    """Orthonormal columns that span those of a matrix."""
    left, values, _ = np.linalg.svd(matrix, full_matrices=False)
    return left[:, values > max(matrix.shape) * np.finfo(np.float32).eps * values[0]]


def extremes(products):
    centred = products - products.mean()
    order = np.argsort(-centred, kind="stable")
    pairs = lambda ids: [[int(i), number(centred[i])] for i in ids]
    return {"highest": pairs(i for i in order[:TOP] if centred[i] > 0),
            "lowest": pairs(i for i in order[::-1][:TOP] if centred[i] < 0)}


def effect(products):
    return {**extremes(products), "rank": int((products > products[TOKEN]).sum()) + 1}


def directions(matrix, from_tokens, to_tokens, rank):
    """Of a map y = M x: tokens whose embeddings x it reads (rows of `from_tokens`), and those at its output."""
    left, values, right = np.linalg.svd(matrix)
    found = []
    for i in range(min(DIRECTIONS, rank)):
        ends = [from_tokens @ right[i], None if to_tokens is None else to_tokens @ left[:, i]]
        last = ends[1] if ends[1] is not None else ends[0]
        last = last - last.mean()
        sign = -1 if -last.min() > last.max() else 1
        found.append({"value": number(values[i]),
                      **{name: extremes(sign * end) for name, end in zip(("from", "to"), ends) if end is not None}})
    return found


def tokens_of(attention, ov, qk, written, embedding):
    """What a head's maps say of the tokens of one vocabulary. `written`: rows of the output matrix; None: none."""
    rank = attention.width
    found = {"matches": effect(embedding @ (qk.T @ embedding[TOKEN])),
             "ov": directions(ov, embedding, written, rank), "qk": directions(qk.T, embedding, embedding, rank)}
    if written is not None:
        found["writes"] = effect(written @ (ov @ embedding[TOKEN]))
    return found


def embedding_of(name, model):
    if name == "bert-mlm":
        return array(model.bert.embeddings.word_embeddings.weight)
    module = model.get_input_embeddings()
    scaled = name == "gemma2" or getattr(model.config, "scale_embedding", False)
    return array(module.weight) * (np.sqrt(module.weight.shape[1]) if scaled else 1)


def weights_of(model, parts, tables, read):
    width = parts[0][0].q[0].shape[1]
    maps, spaces, said = {}, {}, []
    for attention, _ in parts:
        query, key = attention.reads.matrix(width), attention.memory.matrix(width)
        centres = attention.reads.centres or attention.memory.centres or (tables is not None and tables[2].centres)
        write = np.eye(width) - (np.full((width, width), 1 / width) if centres else 0)
        if attention.after:
            write = np.diag(attention.after.weight) @ write
        bias = lambda norm: norm.bias if norm.module is not None else np.zeros(width)
        for h in range(attention.count):
            out = write @ attention.o[h]
            ov = out @ attention.v[h] @ key
            qk = query.T @ attention.q[h].T @ attention.k[h] @ key
            add = out @ (attention.v[h] @ bias(attention.memory) + attention.bv[h])
            scored = key.T @ attention.k[h].T @ (attention.q[h] @ bias(attention.reads) + attention.bq[h])
            maps[attention, h] = ov, qk, add, scored
            spaces[attention, h] = {"out": basis(out), "query": basis((attention.q[h] @ query).T),
                                    "key": basis((attention.k[h] @ key).T), "value": basis((attention.v[h] @ key).T)}
            says = tables is not None and attention.kind != "encoder"
            written = array(tables[1].weight) @ tables[2].matrix(width) if says else None
            said.append({"head": [attention.kind, attention.layer, h],
                         **tokens_of(attention, ov, qk, written, read)})
    heads = []
    for (attention, h), (ov, qk, add, scored) in maps.items():
        tokens = over = None
        if tables and attention.kind != "encoder":
            embedding, output, last = tables
            written = array(output.weight) @ last.matrix(width)
            tokens = (written - written.mean(0)) @ ov @ array(embedding.weight).T
            over = array(embedding.weight) @ qk @ array(embedding.weight).T if attention.kind == "decoder" else None
        heads.append({"head": [attention.kind, attention.layer, h], "ov": circuit(ov, tokens, add, attention.width),
                      "qk": circuit(qk, over, scored, attention.width)})
    composition = []
    for (receiver, r), (ov, qk, _, _) in maps.items():
        for (sender, s), (before, _, _, _) in maps.items():
            for which, matrix in (("query", qk.T), ("key", qk), ("value", ov)):
                if which[0] in reads_of(receiver, sender):
                    size = np.linalg.norm(matrix @ before) / np.linalg.norm(matrix) / np.linalg.norm(before)
                    overlap = spaces[receiver, r][which].T @ spaces[sender, s]["out"]
                    composition.append([which, [receiver.kind, receiver.layer, r], [sender.kind, sender.layer, s],
                                        number(size), number((overlap ** 2).sum())])
    return heads, composition, said


def checked_by_lens(folder, heads, composition, tokens):
    """Compares with TransformerLens; its version."""
    import importlib.metadata

    from tokenizers import Tokenizer, models
    from transformer_lens.model_bridge import TransformerBridge
    from transformer_lens.tools.analysis.projection_kernel import orthonormal_subspace, projection_kernel
    from transformers import AutoTokenizer, PreTrainedTokenizerFast
    words = Tokenizer(models.WordLevel({str(i): i for i in range(37)}, unk_token="0"))
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=words, bos_token="1", eos_token="2", pad_token="0",
                                        unk_token="0")
    with tempfile.TemporaryDirectory() as copy:
        shutil.copytree(folder, copy, dirs_exist_ok=True)
        tokenizer.save_pretrained(copy)
        model = AutoModelForCausalLM.from_pretrained(copy, attn_implementation="eager", dtype=torch.float32)
        lens = TransformerBridge.boot_transformers(copy, hf_model=model, dtype=torch.float32, device="cpu",
                                                   tokenizer=AutoTokenizer.from_pretrained(copy))
    lens.enable_compatibility_mode()

    def compare(what, ours, theirs):
        theirs = np.asarray(theirs.detach().double())
        far = np.abs(np.asarray(ours) - theirs).max()
        assert far < 1e-4 * np.abs(theirs).max(), (folder.name, what, far)
    by_place = {tuple(head["head"][1:]): head for head in heads}
    for which, matrix in (("ov", lens.OV), ("qk", lens.QK)):
        full = lens.W_E @ matrix @ (lens.W_U if which == "ov" else lens.W_E.T)
        for (layer, h), head in by_place.items():
            own = matrix[layer, h]
            compare(which + " norm", head[which]["norm"], own.norm())
            compare(which + " singular values", head[which]["singular"], own.S)
            for key, part in (("eigenvalue_score", own), ("vocabulary_score", full[layer, h])):
                values = part.eigenvalues
                compare(f"{which} {key}", head[which][key], values.sum().real / values.abs().sum())
    for mode, which in (("Q", "query"), ("K", "key"), ("V", "value")):
        theirs = lens.all_composition_scores(mode).scores
        reads = getattr(lens, "W_" + mode)
        share = len(lens.W_O[0]) // len(reads[0])  # heads of a key-value head
        for name, receiver, sender, value, kernel in composition:
            if name == which:
                compare(f"{which} composition", value, theirs[sender[1], sender[2], receiver[1], receiver[2]])
                written = orthonormal_subspace(lens.W_O[sender[1], sender[2]].detach().T)
                read = orthonormal_subspace(reads[receiver[1], receiver[2] // share].detach())
                compare(f"{which} kernel", kernel, projection_kernel(written, read).score)

    def values(what, ours, theirs, signs=(1,)):
        theirs = np.asarray(theirs.detach().double())
        theirs = theirs - theirs.mean()
        far = min(max(abs(sign * theirs[i] - value) for i, value in ours["highest"] + ours["lowest"]) for sign in signs)
        assert far < 1e-4 * np.abs(theirs).max(), (folder.name, what, far)
    for head in tokens:
        _, layer, h = head["head"]
        ov, qk = lens.OV[layer, h], lens.QK[layer, h]
        values("writes", head["writes"], lens.W_E[TOKEN] @ ov.AB @ lens.W_U)
        values("matches", head["matches"], lens.W_E[TOKEN] @ qk.AB @ lens.W_E.T)
        for i in range(DIRECTIONS):
            for which, map, table in (("ov", ov, lens.W_U), ("qk", qk, lens.W_E.T)):
                ours = head[which][i]
                values(which + " from", ours["from"], lens.W_E @ map.U[:, i], (1, -1))
                values(which + " to", ours["to"], map.V[:, i] @ table, (1, -1))
    return importlib.metadata.version("transformer-lens")


def main():
    root = pathlib.Path(sys.argv[1])
    for name in sys.argv[2:]:
        folder = root / name
        model = FOLDERS[name].from_pretrained(folder, attn_implementation="eager", dtype=torch.float32).double().eval()
        parts, tables, sums = parts_of(name, model)
        golden = {"made_by": "tests/goldens/make_head_goldens.py", "length": LENGTH, "sequences": SEQUENCES, "seed": SEED}
        if name != "bart-cnn":
            golden["detect"] = detected(model, parts, tables, sums)
        golden["weights"], golden["composition"], tokens = weights_of(model, parts, tables, embedding_of(name, model))
        golden["tokens"] = {"token": TOKEN, "top": TOP, "directions": DIRECTIONS, "heads": tokens}
        if name in LENS:
            golden["transformer_lens"] = checked_by_lens(folder, golden["weights"], golden["composition"], tokens)
        (folder / "heads.json").write_text(json.dumps(golden, separators=(",", ":")) + "\n")
        print(name)


main()

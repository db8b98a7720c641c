#!/usr/bin/env python3
"""Patching and ablation of all heads of a large decoder: headscope-cli against one run a head with hooks in transformers.

    large_decoders.py FOLDER --cli build/release/bin/headscope-cli [--shape llama-300m] [--heads 6] [--device cpu]

FOLDER keeps the made-up model (random weights in bf16, a vocabulary of made-up words) and its texts. Two sweeps over all heads:
patching (--pairs minimal pairs of --length tokens, a head's context of the clean text put into the corrupt run, everywhere)
and ablation by loss (--texts texts of --words words). transformers computes --heads of the heads, spread over the layers: their
mean time times the number of heads is its sweep's. Both compute in float32; seconds are of the sweeps alone (headscope-cli says
them in the manifest; transformers opens its model before its clock begins), memory is the most that each process held.
The differences between both programs' numbers are printed beside. Written for torch 2.13 and transformers 5.
"""
import argparse
import json
import os
import pathlib
import random
import subprocess
import sys
import threading
import time

SHAPES = {  # width, layers, heads, key-value heads, feed-forward width, vocabulary, tied
    "tiny-gpt2": (64, 3, 4, 4, 256, 500, True),
    "tiny-llama": (64, 3, 4, 2, 128, 500, True),
    "gpt2": (768, 12, 12, 12, 3072, 50257, True),
    "llama-300m": (1024, 24, 16, 8, 2816, 32000, False),
    "llama-1b": (2048, 16, 32, 8, 8192, 128256, True),
    "llama-3b": (3072, 28, 24, 8, 8192, 128256, True),
    "llama-8b": (4096, 32, 32, 8, 14336, 128256, False),
}


def make_model(folder, shape, device):
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import AutoModelForCausalLM, GPT2Config, LlamaConfig, PreTrainedTokenizerFast

    width, layers, heads, key_heads, inner, vocabulary, tied = SHAPES[shape]
    torch.manual_seed(1)
    shared = {"vocab_size": vocabulary, "tie_word_embeddings": tied, "bos_token_id": 0, "eos_token_id": 1,
              "initializer_range": 0.5 / width**0.5}
    if shape.endswith("gpt2"):
        config = GPT2Config(n_embd=width, n_layer=layers, n_head=heads, n_inner=inner, **shared)
    else:
        config = LlamaConfig(hidden_size=width, num_hidden_layers=layers, num_attention_heads=heads,
                             num_key_value_heads=key_heads, intermediate_size=inner, **shared)
    with torch.device(device):
        model = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)
    model.save_pretrained(folder)
    words = {"<s>": 0, "</s>": 1, "<unk>": 2} | {f"w{i}": i for i in range(3, vocabulary)}
    tokenizer = Tokenizer(models.WordLevel(words, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>",
                            unk_token="<unk>").save_pretrained(folder)


def make_data(folder, arguments):
    vocabulary = SHAPES[arguments.shape][5]
    generator = random.Random(2)

    def words(count):
        return [f"w{generator.randrange(3, vocabulary)}" for _ in range(count)]

    rows = ["clean\tcorrupt\tanswer\twrong_answer"]
    for _ in range(arguments.pairs):
        clean = words(arguments.length)
        corrupt = clean[:]
        corrupt[1] = words(1)[0]
        rows.append("\t".join([" ".join(clean), " ".join(corrupt), *words(2)]))
    (folder / "pairs.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    texts = [" ".join(words(arguments.words)) for _ in range(arguments.texts)]
    (folder / "texts.txt").write_text("\n".join(texts) + "\n", encoding="utf-8")


class PeakMemory(threading.Thread):
    """The most memory of a process, in GiB, until stop(): of pages that no file holds, and of all."""

    def __init__(self, pid):
        super().__init__(daemon=True)
        self.pid, self.own, self.all, self.ended = pid, 0.0, 0.0, threading.Event()

    def run(self):
        while not self.ended.wait(0.05):
            try:
                with open(f"/proc/{self.pid}/status", encoding="ascii") as file:
                    found = dict(line.split(":", 1) for line in file)
                self.own = max(self.own, int(found["RssAnon"].split()[0]) / 2**20)
                self.all = max(self.all, int(found["VmRSS"].split()[0]) / 2**20)
            except (OSError, KeyError):
                return

    def stop(self):
        self.ended.set()
        self.join()
        return f"{self.own:.1f} GiB of its own, {self.all:.1f} with files"


def run_cli(arguments, words):
    out = arguments.folder / "result.json"
    call = [arguments.cli, *words, "--model", str(arguments.folder / "model"), "--device", arguments.device, "--work-folder", "none",
            "--quiet", "--out", str(out)]
    start = time.perf_counter()
    with subprocess.Popen(call) as process:
        memory = PeakMemory(process.pid)
        memory.start()
        if process.wait() != 0:
            sys.exit(f"{' '.join(call)} failed")
    whole = time.perf_counter() - start
    result = json.loads(out.read_text(encoding="utf-8"))
    return result, result["manifest"]["seconds"], whole, memory.stop()


class Loop:
    """A run a head in transformers."""

    def __init__(self, arguments):
        import torch
        from transformers import AutoModelForCausalLM, AutoTokenizer

        self.torch = torch
        torch.set_num_threads(arguments.threads)
        self.model = AutoModelForCausalLM.from_pretrained(arguments.folder / "model", dtype=torch.float32).eval().to(arguments.device)
        self.tokenizer = AutoTokenizer.from_pretrained(arguments.folder / "model")
        config = self.model.config
        self.heads, self.layers = config.num_attention_heads, config.num_hidden_layers
        self.width = config.hidden_size // self.heads
        self.sample = [(i * self.layers // arguments.heads, i % self.heads) for i in range(arguments.heads)]

    def projection(self, layer):
        if self.model.config.model_type == "gpt2":
            return self.model.transformer.h[layer].attn.c_proj
        return self.model.model.layers[layer].self_attn.o_proj

    def with_head(self, layer, head, change, work):
        def edit(_, inputs):
            context = inputs[0].clone()
            part = context[..., head * self.width:(head + 1) * self.width]
            part.copy_(change(part, layer, head))
            return (context,)

        hook = self.projection(layer).register_forward_pre_hook(edit)
        start = time.perf_counter()
        found = work()
        seconds = time.perf_counter() - start
        hook.remove()
        return found, seconds

    def ids(self, text):
        return self.torch.tensor([self.tokenizer(text, add_special_tokens=False)["input_ids"]], device=self.model.device)

    def sweep(self, change, work):
        deltas, seconds = {}, 0.0
        whole = work()
        for layer, head in self.sample:
            found, took = self.with_head(layer, head, change, work)
            deltas[f"decoder.{layer}.{head}"] = found - whole
            seconds += took
        return deltas, seconds / len(self.sample) * self.layers * self.heads

    def patching(self, rows):
        """Of all pairs together: the mean change of the logit difference by a head of the clean run."""
        deltas, seconds = {}, 0.0
        for row in rows:
            clean, corrupt, answer, wrong = row
            contexts = {}
            hooks = [self.projection(layer).register_forward_pre_hook(
                lambda _, inputs, layer=layer: contexts.__setitem__(layer, inputs[0])) for layer in range(self.layers)]
            self.model(self.ids(clean), use_cache=False)
            for hook in hooks:
                hook.remove()
            tokens = [self.ids(text)[0, 0] for text in (answer, wrong)]

            def difference():
                logits = self.model(self.ids(corrupt), use_cache=False, logits_to_keep=1).logits[0, -1].double()
                return (logits[tokens[0]] - logits[tokens[1]]).item()

            found, took = self.sweep(
                lambda part, layer, head: contexts[layer][..., head * self.width:(head + 1) * self.width], difference)
            seconds += took
            for name, delta in found.items():
                deltas[name] = deltas.get(name, 0) + delta / len(rows)
        return deltas, seconds

    def ablation(self, texts, batch):
        ids = self.torch.cat([self.ids(text) for text in texts])  # made-up texts have equally many tokens

        def loss():
            total = 0.0
            for some in ids.split(batch):
                logits = self.model(some, use_cache=False).logits[:, :-1].flatten(0, 1)
                total += self.torch.nn.functional.cross_entropy(logits, some[:, 1:].flatten(), reduction="sum").item()
            return total / ids[:, 1:].numel()

        return self.sweep(lambda part, layer, head: self.torch.zeros_like(part), loss)


def print_sweep(name, ours, theirs, memory, largest):
    print(f"{name}: headscope {ours:.1f} s, transformers {theirs:.0f} s ({theirs / ours:.1f} x); "
          f"largest difference {largest:.2g}; headscope {memory}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--cli", required=True)
    parser.add_argument("--shape", choices=SHAPES, default="llama-300m")
    parser.add_argument("--pairs", type=int, default=1)
    parser.add_argument("--length", type=int, default=20, help="tokens of a text of a pair")
    parser.add_argument("--texts", type=int, default=8)
    parser.add_argument("--words", type=int, default=60)
    parser.add_argument("--batch", type=int, default=8, help="texts that transformers takes at once")
    parser.add_argument("--heads", type=int, default=6, help="that transformers computes")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--only", choices=["patch", "ablate"], help="one sweep alone")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    if not (arguments.folder / "model").exists():
        make_model(arguments.folder / "model", arguments.shape, arguments.device)
    make_data(arguments.folder, arguments)
    ours = {}
    if arguments.only != "ablate":
        ours["patch"] = run_cli(arguments, ["patch", "--data", str(arguments.folder / "pairs.tsv"), "--resamples", "0"])
    if arguments.only != "patch":
        ours["ablate"] = run_cli(arguments, ["ablate", "--text-file", str(arguments.folder / "texts.txt"), "--metric", "loss",
                                             "--resamples", "0"])
    import torch

    with torch.inference_mode():
        loop = Loop(arguments)
        memory = PeakMemory(os.getpid())
        memory.start()
        rows = [line.split("\t") for line in (arguments.folder / "pairs.tsv").read_text(encoding="utf-8").splitlines()[1:]]
        texts = (arguments.folder / "texts.txt").read_text(encoding="utf-8").splitlines()
        theirs = {name: loop.patching(rows) if name == "patch" else loop.ablation(texts, arguments.batch)
                  for name in ours}
    print(f"{arguments.shape}, {loop.layers * loop.heads} heads, {arguments.threads} threads, {arguments.device}; "
          f"transformers: {memory.stop()}")
    for name, (result, seconds, whole, held) in ours.items():
        deltas, their_seconds = theirs[name]
        found = {head["head"]: head["delta"] for head in result["heads"]}
        largest = max(abs(found[head] - delta) for head, delta in deltas.items())
        print_sweep(name, seconds, their_seconds, held, largest)
        print(f"  (with opening the model {whole:.1f} s)")


if __name__ == "__main__":
    main()

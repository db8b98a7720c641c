#!/usr/bin/env python3
"""Writes patching.json into some folders of tests/goldens/families: activation patching of every head, everywhere and
at every position, by a loop over transformers with hooks in front of output projections.

    python3 -m venv venv
    venv/bin/pip install torch==2.13.0 transformers==4.57.1 safetensors==0.8.0
    venv/bin/python tests/goldens/make_patching_goldens.py tests/goldens/families

The project itself needs no Python, and the build does not run this. Each patched run is a whole forward pass by itself
in float64 from weights widened to it; numbers have 9 significant digits.
  pairs         clean and corrupt: {source, prefix}, what encoder and decoder read (those that there are), as many tokens
                in both; answer, wrong: the tokens compared; asked: the position whose output says them; clean_scores,
                corrupt_scores: ln p of both
  heads         [kind, layer, head], the order of the lists below
  denoise, noise   by pair and head: ln p of both answers when the head's context comes from the other text at all
                positions, then at each position
  paths         of several ends (to: "output" or a head): denoise and noise, by pair and head: ln p of both answers when
                only what reaches the end directly is of the other text, at all positions; a run in which all other
                heads keep their contexts, then one with the context that the head at the end had in it
  direct        by pair: clean and corrupt, what each head adds by itself to the difference of the two logits: the
                difference of two runs in which outputs of attention and feed-forward layers, scales of norms and slopes
                of the head's activation are held, with and without what the head adds; not of Gemma 2
  parts         query, key, value, pattern: denoise and noise, as those above, when that part of a head comes from the
                other text; keys and values by [kind, layer, first head of the group], the order of units, at positions
                of the keys
  edges         paths to one input (query, key, value) of a head, or of the heads of its group: feed_forward says whether
                feed-forward layers in between are recomputed or frozen; denoise and noise, by pair and head. Two runs
                each: one in which all heads keep their contexts but for the sender, one with what the receiver's
                projection gave in it
"""
import json
import pathlib
import sys

import torch
from transformers import AutoModelForCausalLM, AutoModelForMaskedLM, AutoModelForSeq2SeqLM

FEED_FORWARD = ("mlp", "fc2")
FAMILIES = {"gpt2-hub": AutoModelForCausalLM, "llama-grouped": AutoModelForCausalLM, "bert-mlm": AutoModelForMaskedLM,
            "bart-cnn": AutoModelForSeq2SeqLM, "gemma2": AutoModelForCausalLM, "pegasus": AutoModelForSeq2SeqLM}


def projections(model):
    """(kind, layer) → the module whose input is the contexts of all heads side by side."""
    found = {}
    for name, module in model.named_modules():
        parts = name.split(".")
        layer = next((int(part) for part in parts if part.isdigit()), None)
        if name.endswith(("attn.c_proj", "self_attn.o_proj")):
            found["decoder", layer] = module
        elif name.endswith("attention.output.dense"):
            found["encoder", layer] = module
        elif name.endswith("self_attn.out_proj"):
            found["encoder" if "encoder" in parts else "decoder", layer] = module
        elif name.endswith("encoder_attn.out_proj"):
            found["cross", layer] = module
    return found


class Patcher:
    def __init__(self, model):
        self.model = model
        self.places = projections(model)

    def heads(self, kind):
        config = self.model.config
        return getattr(config, "encoder_attention_heads" if kind == "encoder" else "decoder_attention_heads",
                       config.num_attention_heads)

    def run(self, text, change=lambda place, context: None):
        """Logits of all positions; `change` sees every projection's input and may return another."""
        handles = []
        for place, module in self.places.items():
            def hook(_, inputs, place=place):
                changed = change(place, inputs[0])
                return None if changed is None else (changed,) + inputs[1:]
            handles.append(module.register_forward_pre_hook(hook))
        with torch.no_grad():
            if "source" in text and "prefix" in text:
                logits = self.model(input_ids=torch.tensor([text["source"]]),
                                    decoder_input_ids=torch.tensor([text["prefix"]])).logits
            else:
                logits = self.model(input_ids=torch.tensor([text.get("source") or text["prefix"]])).logits
        for handle in handles:
            handle.remove()
        return logits[0]

    def scores(self, pair, logits):
        logs = torch.log_softmax(logits[pair["asked"]], -1)
        return [float(f"{logs[pair[which]].item():.9g}") for which in ("answer", "wrong")]

    def path(self, pair, base, bases, donors, sender, end):
        natural = {}

        def columns(kind, head, context):
            width = context.shape[-1] // self.heads(kind)
            return slice(head * width, (head + 1) * width)

        def first(place, context):
            natural[place] = context.clone()
            changed = bases[place].clone()
            if place == tuple(sender[:2]):
                own = columns(sender[0], sender[2], context)
                changed[:, :, own] = donors[place][:, :, own]
            return changed
        logits = self.run(base, first)
        if end == "output":
            return self.scores(pair, logits)

        def second(place, context):
            if place != tuple(end[:2]):
                return None
            own = columns(end[0], end[2], context)
            changed = context.clone()
            changed[:, :, own] = natural[place][:, :, own]
            return changed
        return self.scores(pair, self.run(base, second))

    def difference(self, pair, logits):
        return (logits[pair["asked"], pair["answer"]] - logits[pair["asked"], pair["wrong"]]).item()

    def direct(self, pair, text, heads):
        """What each head adds to the difference of the logits."""
        outputs, scales, slopes, read = {}, {}, {}, {}
        norms = {name: module for name, module in self.model.named_modules()
                 if isinstance(module, torch.nn.LayerNorm) or type(module).__name__.endswith("RMSNorm")}
        held = {name: module for name, module in self.model.named_modules()
                if name.endswith(("mlp", "output.dense", "fc2")) or module in self.places.values()}
        slanted = {name: module for name, module in self.model.named_modules() if name.endswith("transform_act_fn")}
        places = {module: place for place, module in self.places.items()}

        def centred(module, x):
            return x - x.mean(-1, keepdim=True) if isinstance(module, torch.nn.LayerNorm) else x

        def scale(module, x):
            epsilon = getattr(module, "eps", None) or module.variance_epsilon
            return (centred(module, x).pow(2).mean(-1, keepdim=True) + epsilon).rsqrt()
        handles = []
        for name, module in norms.items():
            handles.append(module.register_forward_hook(
                lambda module, inputs, output, name=name: scales.__setitem__(name, scale(module, inputs[0]))))
        for name, module in held.items():
            def keep(module, inputs, output, name=name):
                outputs[name] = output
                read[name] = inputs[0]
            handles.append(module.register_forward_hook(keep))
        for name, module in slanted.items():
            handles.append(module.register_forward_hook(
                lambda module, inputs, output, name=name: slopes.__setitem__(name, output / inputs[0])))
        whole = self.difference(pair, self.run(text))
        for handle in handles:
            handle.remove()
        found = []
        for kind, layer, head in heads:
            handles = []
            for name, module in norms.items():
                def norm(module, inputs, output, name=name):
                    normed = centred(module, inputs[0]) * scales[name] * module.weight
                    return normed if getattr(module, "bias", None) is None else normed + module.bias
                handles.append(module.register_forward_hook(norm))
            for name, module in held.items():
                def hold(module, inputs, output, name=name):
                    if places.get(module) != (kind, layer):
                        return outputs[name]
                    width = read[name].shape[-1] // self.heads(kind)
                    alone = torch.zeros_like(read[name])
                    columns = slice(head * width, (head + 1) * width)
                    alone[..., columns] = read[name][..., columns]
                    return outputs[name] - (module.forward(alone) - module.forward(torch.zeros_like(alone)))
                handles.append(module.register_forward_hook(hold))
            for name, module in slanted.items():
                handles.append(module.register_forward_hook(
                    lambda module, inputs, output, name=name: inputs[0] * slopes[name]))
            without = self.difference(pair, self.run(text))
            for handle in handles:
                handle.remove()
            found.append(float(f"{whole - without:.9g}"))
        return found

    def groups(self, kind):
        return getattr(self.model.config, "num_key_value_heads", None) or self.heads(kind)

    def parts(self):
        """Modules that give a part of an attention: (module, place, part, number of heads, third of the output or
        none)."""
        modules = dict(self.model.named_modules())
        names = {module: name for name, module in modules.items()}
        found = []
        for place, module in self.places.items():
            attention = names[module].rsplit(".", 1)[0]
            if attention.endswith("attention.output"):
                attention = attention[:-len("output")] + "self"
            for third, part in enumerate(("query", "key", "value")):
                count = self.heads(place[0]) if part == "query" else self.groups(place[0])
                for name, own in ((f"{attention}.c_attn", third), (f"{attention}.{part}", None),
                                  (f"{attention}.{part[0]}_proj", None)):
                    if name in modules:
                        found.append((modules[name], place, part, count, own))
        return found

    def edited(self, text, change):
        """Logits of all positions; `change` sees (place, part, value) and may return another value: heads of query, key
        and value [1, T, heads, Dh], pattern [1, heads, T, S], context [1, T, heads, Dh], feed-forward outputs."""
        handles, softmax, called = [], torch.nn.functional.softmax, []
        order = [place for place in self.order]

        def patterns(*args, **kwargs):
            value = softmax(*args, **kwargs)
            place = order[len(called)]
            called.append(place)
            changed = change(place, "pattern", value)
            return value if changed is None else changed
        for module, place, part, count, third in self.parts():
            def hook(_, inputs, output, place=place, part=part, count=count, third=third):
                width = output.shape[-1] // (1 if third is None else 3)
                columns = slice(0, width) if third is None else slice(third * width, (third + 1) * width)
                changed = change(place, part, output[..., columns].unflatten(-1, (count, -1)))
                if changed is None:
                    return None
                output = output.clone()
                output[..., columns] = changed.flatten(-2)
                return output
            handles.append(module.register_forward_hook(hook))
        for place, module in self.places.items():
            def contexts(_, inputs, place=place):
                changed = change(place, "context", inputs[0].unflatten(-1, (self.heads(place[0]), -1)))
                return None if changed is None else (changed.flatten(-2),) + inputs[1:]
            handles.append(module.register_forward_pre_hook(contexts))
        for name, module in self.model.named_modules():
            if name.endswith(FEED_FORWARD) or name.endswith("output.dense") and not name.endswith("attention.output.dense"):
                handles.append(module.register_forward_hook(
                    lambda module, inputs, output, name=name: change(name, "feed_forward", output)))
        torch.nn.functional.softmax = patterns
        logits = self.run(text)
        torch.nn.functional.softmax = softmax
        for handle in handles:
            handle.remove()
        return logits

    def record(self, text):
        self.order = []
        self.run(text, lambda place, context: self.order.append(place))
        kept = {}
        self.edited(text, lambda place, part, value: kept.__setitem__((place, part), value.clone()))
        return kept

    def with_part(self, pair, text, donor, unit, part, position):
        def change(place, of, value):
            if place != tuple(unit[:2]) or of != part:
                return None
            value = value.clone()
            other = donor[place, part]
            if part == "pattern":
                rows = slice(None) if position is None else position
                value[:, unit[2], rows] = other[:, unit[2], rows]
            else:
                head = unit[2] // (self.heads(unit[0]) // value.shape[2])
                rows = slice(None) if position is None else position
                value[:, rows, head] = other[:, rows, head]
            return value
        return self.scores(pair, self.edited(text, change))

    def edge(self, pair, text, base, donor, sender, end, part, frozen):
        natural = {}

        def first(place, of, value):
            natural[place, of] = value.clone()
            if of == "feed_forward" and frozen:
                return base[place, of]
            if of != "context":
                return None
            value = base[place, of].clone()
            if place == tuple(sender[:2]):
                value[:, :, sender[2]] = donor[place, of][:, :, sender[2]]
            return value
        self.edited(text, first)

        def second(place, of, value):
            if place != tuple(end[:2]) or of != part:
                return None
            value = value.clone()
            head = end[2] // (self.heads(end[0]) // value.shape[2])
            value[:, :, head] = natural[place, of][:, :, head]
            return value
        return self.scores(pair, self.edited(text, second))

    def contexts(self, text):
        kept = {}
        self.run(text, lambda place, context: kept.__setitem__(place, context.clone()))
        return kept

    def patched(self, pair, base, donor, kind, layer, head, position):
        def change(place, context):
            if place != (kind, layer):
                return None
            width = context.shape[-1] // self.heads(kind)
            columns = slice(head * width, (head + 1) * width)
            rows = slice(None) if position is None else slice(position, position + 1)
            changed = context.clone()
            changed[:, rows, columns] = donor[place][:, rows, columns]
            return changed
        return self.scores(pair, self.run(base, change))


def pairs_of(model, seed):
    generator = torch.Generator().manual_seed(seed)
    vocabulary = model.config.vocab_size
    pick = lambda count: torch.randint(5, vocabulary, (count,), generator=generator).tolist()
    pairs = []
    for length in (5, 7):
        text = {}
        if model.config.is_encoder_decoder:
            text = {"source": pick(length), "prefix": [model.config.decoder_start_token_id] + pick(2)}
        elif isinstance(model, tuple(AutoModelForMaskedLM._model_mapping.values())):
            text = {"source": pick(length)}
        else:
            text = {"prefix": pick(length)}
        first = "source" if "source" in text else "prefix"
        corrupt = {**text, first: list(text[first])}
        corrupt[first][1] = 5 + (corrupt[first][1] - 4) % (vocabulary - 5)
        answer, wrong = pick(2)
        asked = 2 if "prefix" not in text else len(text["prefix"]) - 1
        pairs.append({"clean": text, "corrupt": corrupt, "answer": answer, "wrong": wrong + (wrong == answer),
                      "asked": asked})
    return pairs


def main():
    root = pathlib.Path(sys.argv[1])
    for number, (name, kind) in enumerate(FAMILIES.items()):
        model = kind.from_pretrained(root / name, attn_implementation="eager", dtype=torch.float32).double().eval()
        patcher = Patcher(model)
        pairs = pairs_of(model, 11 + number)
        heads = [[place[0], place[1], head] for place in sorted(patcher.places) for head in range(patcher.heads(place[0]))]
        golden = {"pairs": pairs, "heads": heads, "denoise": [], "noise": [], "paths": [], "direct": [], "parts": {},
                  "edges": []}
        ends = [max(head for head in heads if head[0] == kind) for kind in sorted({head[0] for head in heads})]
        for end in ["output"] + ends:
            golden["paths"].append({"to": end, "denoise": [], "noise": []})
        for part in ("query", "key", "value", "pattern"):
            golden["parts"][part] = {"denoise": [], "noise": []}
        for end in ends:
            for part in ("query", "key", "value"):
                for feed_forward in ("recomputed", "frozen"):
                    golden["edges"].append({"to": end, "input": part, "feed_forward": feed_forward, "denoise": [],
                                            "noise": []})
        for pair in pairs:
            contexts = {which: patcher.contexts(pair[which]) for which in ("clean", "corrupt")}
            for which in ("clean", "corrupt"):
                pair[which + "_scores"] = patcher.scores(pair, patcher.run(pair[which]))
            records = {which: patcher.record(pair[which]) for which in ("clean", "corrupt")}
            if name != "gemma2":
                golden["direct"].append({which: patcher.direct(pair, pair[which], heads)
                                         for which in ("clean", "corrupt")})
            for direction, base, donor in (("denoise", "corrupt", "clean"), ("noise", "clean", "corrupt")):
                rows = []
                for place in heads:
                    length = len(pair["clean"]["source" if place[0] == "encoder" else "prefix"])
                    rows.append([patcher.patched(pair, pair[base], contexts[donor], *place, position)
                                 for position in [None, *range(length)]])
                golden[direction].append(rows)
                for path in golden["paths"]:
                    path[direction].append([patcher.path(pair, pair[base], contexts[base], contexts[donor], place,
                                                         path["to"]) for place in heads])
                for part, found in golden["parts"].items():
                    rows = []
                    for unit in heads:
                        group = patcher.heads(unit[0]) // patcher.groups(unit[0])
                        if part in ("key", "value") and unit[2] % group:
                            continue
                        side = "source" if unit[0] == "encoder" or unit[0] == "cross" and part in ("key", "value") else "prefix"
                        rows.append([patcher.with_part(pair, pair[base], records[donor], unit, part, position)
                                     for position in [None, *range(len(pair["clean"][side]))]])
                    found[direction].append(rows)
                for edge in golden["edges"]:
                    edge[direction].append([
                        patcher.edge(pair, pair[base], records[base], records[donor], sender, edge["to"], edge["input"],
                                     edge["feed_forward"] == "frozen") for sender in heads])
        (root / name / "patching.json").write_text(json.dumps(golden, separators=(",", ":")) + "\n")
        print(name, len(heads), "heads", pairs[0]["clean_scores"], pairs[0]["corrupt_scores"])


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Writes the small files that the fuzzers start from: seeds/<fuzzer>/*. Python's own library only."""
import collections, io, json, os, pickle, struct, sys, types, zipfile

HERE = os.path.dirname(os.path.abspath(__file__))


def write(fuzzer, name, data):
    folder = os.path.join(HERE, "seeds", fuzzer)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name), "wb") as file:
        file.write(data)


# --- safetensors

def safetensors(header, data):
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + data


def tensor(dtype, shape, begin, end, **more):
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end], **more}


write("safetensors", "two", safetensors({"__metadata__": {"format": "pt"}, "b.weight": tensor("F32", [2, 2], 0, 16),
                                         "a": tensor("BF16", [3], 16, 22)}, bytes(22)))
write("safetensors", "empty", safetensors({}, b""))
write("safetensors", "shapes", safetensors({"scalar": tensor("I64", [], 0, 8), "none": tensor("U8", [2, 0], 8, 8),
                                            "half": tensor("F4", [4], 8, 10)}, bytes(10)))
write("safetensors", "unknown", safetensors({"x": tensor("F8_E4M3", [2], 0, 2,
                                                        more=[{"a": [None, True, -1, 1.5]}])}, bytes(2)))

write("safetensors", "header", json.dumps({"a.weight": tensor("F32", [2, 3], 0, 24),
                                           "a.bias": tensor("F16", [3], 24, 30),
                                           "__metadata__": {"format": "pt"}}).encode())

# --- NumPy and YAML

def array(kind, shape, data):
    header = repr({"descr": kind, "fortran_order": False, "shape": shape}).encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + data


def archive(arrays, method):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as opened:
        for name, data in arrays.items():
            opened.writestr(zipfile.ZipInfo(name + ".npy"), data, compress_type=method)
    return file.getvalue()


OPTIONS = b'type: transformer\ndim-vocabs:\n  - 5\n  - 5\ntransformer-preprocess: ""\nskip: false\nnormalize: 0.6\n\0'
ARRAYS = {"Wemb": array("<f4", (5, 2), bytes(40)), "special:model.yml": array("|i1", (len(OPTIONS),), OPTIONS)}
write("npzfile", "stored", archive(ARRAYS, zipfile.ZIP_STORED))
write("npzfile", "deflated", archive(ARRAYS, zipfile.ZIP_DEFLATED))
write("npzfile", "array", ARRAYS["Wemb"])
write("npzfile", "options", OPTIONS[:-1])
write("npzfile", "vocabulary", '</s>: 0\n"\\u2581the": 1\n? long\n: 2\n{a: [x, ~, 1e3]}: 3\n'.encode())

# --- GGUF

def gguf_text(text):
    return struct.pack("<Q", len(text)) + text.encode()


def gguf(values, tensors, data):
    """values: key: (type, bytes); tensors: name: (sizes, type, offset)."""
    file = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(values))
    for key, (kind, value) in values.items():
        file += gguf_text(key) + struct.pack("<I", kind) + value
    for name, (sizes, kind, offset) in tensors.items():
        file += gguf_text(name) + struct.pack(f"<I{len(sizes)}QIQ", len(sizes), *sizes, kind, offset)
    return file + bytes(-len(file) % 32) + data


GGUF_VALUES = {"general.architecture": (8, gguf_text("llama")), "llama.block_count": (4, struct.pack("<I", 1)),
               "llama.rope.freq_base": (6, struct.pack("<f", 1e4)), "tokenizer.ggml.add_bos_token": (7, b"\1"),
               "tokenizer.ggml.tokens": (9, struct.pack("<IQ", 8, 2) + gguf_text("a") + gguf_text("\u2581b")),
               "tokenizer.ggml.token_type": (9, struct.pack("<IQii", 5, 2, 1, 3))}
write("gguf", "two", gguf(GGUF_VALUES, {"output_norm.weight": ((4,), 0, 0), "token_embd.weight": ((32, 2), 8, 32)},
                         bytes(32 + 2 * 34)))
write("gguf", "empty", gguf({}, {}, b""))
write("gguf", "aligned", gguf({"general.alignment": (4, struct.pack("<I", 64))}, {}, b""))

# --- PyTorch: the globals that torch.save names, without PyTorch

def module(name, **members):
    made = types.ModuleType(name)
    for key, value in members.items():
        value.__module__, value.__qualname__ = name, key
        setattr(made, key, value)
    sys.modules[name] = made
    return made


class Storage:
    def __init__(self, kind, key, elements):
        self.kind, self.key, self.elements = kind, key, elements


torch = module("torch", FloatStorage=type("FloatStorage", (), {}), LongStorage=type("LongStorage", (), {}))
utils = module("torch._utils", _rebuild_tensor_v2=lambda *a: None, _rebuild_parameter=lambda *a: None)
torch._utils = utils


class Rebuilt:
    def __init__(self, function, *arguments):
        self.function, self.arguments = function, arguments

    def __reduce__(self):
        return self.function, self.arguments


class Pickler(pickle._Pickler):
    def __init__(self, file, protocol, legacy):
        super().__init__(file, protocol)
        self.legacy = legacy

    def persistent_id(self, item):
        if not isinstance(item, Storage):
            return None
        id = ("storage", item.kind, item.key, "cpu", item.elements)
        return id + (None,) if self.legacy else id


def pickled(value, protocol=2, legacy=False):
    file = io.BytesIO()
    Pickler(file, protocol, legacy).dump(value)
    return file.getvalue()


def rebuilt(storage, offset, shape, strides):
    return Rebuilt(utils._rebuild_tensor_v2, storage, offset, shape, strides, False, collections.OrderedDict())


def state():
    shared = Storage(torch.FloatStorage, "0", 16)
    weight = rebuilt(shared, 0, (3, 4), (4, 1))
    return collections.OrderedDict(weight=weight, transposed=rebuilt(shared, 0, (4, 4), (1, 4)),
                                   scalar=rebuilt(shared, 15, (), ()),
                                   parameter=Rebuilt(utils._rebuild_parameter, weight, True,
                                                     collections.OrderedDict()))


def archive(value):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as packed:
        for name, data in [("data.pkl", pickled(value)), ("byteorder", "little"), ("data/0", bytes(64)),
                           ("version", "3\n")]:
            packed.writestr(zipfile.ZipInfo("archive/" + name), data)  # without the time of day
    return file.getvalue()


def legacy(value):
    facts = {"protocol_version": 1001, "little_endian": True, "type_sizes": {"short": 2, "int": 4, "long": 4}}
    parts = [0x1950a86a20f9469cfc6c, 1001, facts]
    return (b"".join(pickled(part) for part in parts) + pickled(value, legacy=True) + pickled(["0"])
            + struct.pack("<q", 16) + bytes(64))


write("torchfile", "zip", archive(state()))
write("torchfile", "legacy", legacy(state()))
write("torchfile", "pickle2", pickled(state()))
write("torchfile", "pickle4", pickled({"state_dict": state(), "epoch": 3, "set": {1, 2}}, 4))
write("torchfile", "values", pickled([None, True, -1, 300, 70000, 1 << 70, 1.5, "text", b"bytes", (1,), (1, 2, 3, 4),
                                      {"a": [1]}, {1}, os.getcwd, ValueError("x")], 2))

# --- tables: the first byte is the kind (fuzz_tables.cpp)

TSV, CSV, JSON_LINES, NO_HEADER, QUOTED = b"0", b"1", b"2", b"3", b"4"
write("tables", "sst2", TSV + b"sentence\tlabel\na \"fine\" film\t1\nbad .\t0\n")
write("tables", "mrpc", TSV + b"Quality\t#1 ID\t#2 ID\t#1 String\t#2 String\n1\t1\t2\tA \"b\nx\t\t\t\t\n")
write("tables", "cola", NO_HEADER + b"gj04\t1\t\tIt rained.\r\ngj04\t0\t*\tRained it.\r\n")
write("tables", "uci", QUOTED + b"text\tlabel\r\"slow, \"\"aimless\"\"\nfilm\"\t0\rfine\t1\r")
write("tables", "csv", CSV + b"premise,hypothesis,gold_label\n\"a, b\",c,entailment\nd,\"e \"\"f\"\"\",neutral\n"
      b"g,h,-\n")
write("tables", "snli", JSON_LINES + b'{"sentence1": "a", "sentence2": "b", "gold_label": "contradiction"}\n'
      b'{"sentence1": "c", "sentence2": "d", "gold_label": "-"}\n')
write("tables", "ids", JSON_LINES + b'{"input_ids": [1, 2], "token_type_ids": [0, 1], "labels": [0, 1, 1]}\n'
      b'{"text": "x", "labels": ["neutral", "1"], "label": NaN}\n{"text": 1.5, "label": 2}\n')
write("tables", "map", TSV + b"text\tlabel\na=neutral+contradiction,b=1\ta\nx\tb\n")
write("tables", "hans", TSV + b"gold_label\tsentence1\tsentence2\nnon-entailment\ta\tb\nentailment\tc\td\n")

# --- messages: what goes to and comes from `headscope-cli serve`, after the size of the pieces


def frame(message):
    body = json.dumps(message).encode()
    return b"\xff" + b"Content-Length: %d\r\n\r\n" % len(body) + body


def request(method, params):
    return frame({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})


write("messages", "initialize", request("initialize", {"protocol": 1, "pending": [1, 2]}))
write("messages", "data", request("data/set", {"domain": "in", "source": {"table": "a.tsv", "limit": 5}}))
write("messages", "source", request("data/set", {"source": "a", "reference": "b", "header": False, "text_unit": "file"}))
write("messages", "run", request("analysis/run", {"domain": "in", "analysis": "ablate", "options": {"resamples": 5},
                                                  "run": {"beams": 1}, "second": True, "partial": True}))
write("messages", "export", request("pruned/export", {"mask": "encoder.0.1", "form": "small", "compensation": "in"}))
write("messages", "card", frame({"jsonrpc": "2.0", "id": 1, "result": {
    "folder": "/m", "family": "bert", "task": "classification", "parameters": 5, "width": 4, "tokenizer": "",
    "heads": [{"kind": "encoder", "heads": [[0, 1], [0]]}], "device": "cpu", "dtype": "f32", "weights_hash": "1",
    "primary_metric": "accuracy", "metrics": ["accuracy"], "generation": "", "problem": "single_label"}}))
write("messages", "attention", frame({"jsonrpc": "2.0", "id": 1, "binary": 1, "result": {
    "attention": {"result": "attention", "source_tokens": [{"text": "a"}], "target_tokens": [],
                  "maps": [{"head": "encoder.0.0", "keys": 1, "weights": []}], "manifest": {}},
    "shapes": [[1, 1]]}}) + b"Content-Length: 4\r\nContent-Type: application/octet-stream\r\n\r\n\0\0\x80\x3f")

# --- dictionaries: the first byte says what the rest is

DICTIONARY, CODES, FSMT = b"0", b"1", b"2"
write("dictionaries", "dictionary", DICTIONARY + b"l@@ 5\now 4\nlow 3\na 2\n\xe4\xb8\xad\xe5\x9b\xbd 1\n")
write("dictionaries", "overwrites", DICTIONARY + b"a 5\n<s> 4 #fairseq:overwrite\nb 1\nmadeupword0000 0\n")
write("dictionaries", "codes", CODES + b"#version: 0.2\nl o\nlo w</w>\ne r</w>\n")
write("dictionaries", "fastbpe", CODES + b"l o 20\nlo w</w> 19\ne r</w> 3\n")
write("dictionaries", "old", CODES + b"l o\nlo w\nlow </w>\n")
write("dictionaries", "fsmt", FSMT + json.dumps({"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3, "l": 4, "low</w>": 5}).encode())

# --- packed studies


def packed(members, method=zipfile.ZIP_DEFLATED):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", method) as archive:
        for name, content in members:
            archive.writestr(zipfile.ZipInfo(name), content, method)
    return data.getvalue()


STUDY = json.dumps({"format": 2, "model": {"folder": "model"}}).encode()
write("studypacks", "study", packed([("a.headscope", STUDY), ("a.headscope.results/0.json", b"{}"), ("data/in/a.en", b"x\n")]))
write("studypacks", "stored", packed([("a.headscope", STUDY), ("model/model.safetensors", bytes(20))], zipfile.ZIP_STORED))
write("studypacks", "named", packed([("data/in/T\u00e4st \u4e2d.en", b"x\n"), ("data/out/", b"")]))
write("studypacks", "upwards", packed([("../a", b"x"), ("a/../../b", b"x"), ("/c", b"x")]))
write("studypacks", "zeros", packed([("zeros", bytes(100000))]))

# --- plans

PLAN = {"output": "out", "models": ["m", {"name": "b", "model": "n", "threads": 1}],
        "data": [{"name": "in", "source": "a.txt", "reference": "b.txt", "limit": 5},
                 {"name": "other", "data": "b.txt", "models": ["b"], "text-column": "t"}],
        "analyses": [{"command": "ablate", "resamples": 20, "plain": True},
                     {"command": "prune", "order-on": "@other", "data": ["in"], "models": ["b"]},
                     {"command": "roles", "relations": ["a", "b"], "corpus": "a.txt"}]}
write("plans", "plan", json.dumps(PLAN).encode())
write("plans", "small", json.dumps({**PLAN, "models": ["m"], "data": PLAN["data"][:1], "analyses": [{"command": "x"}]}).encode())

# --- Slurm

write("slurm", "queue", b"17|3|RUNNING|n[1-2]\n17|4|PENDING|\n18|N/A|RUNNING|n1\n17|5|CANCELLED by 0|n1\n")
write("slurm", "error", b"slurm_load_jobs error: Unable to contact slurm controller (connect failure)\n")
write("slurm", "progress", b"ablating heads: 120/960 examples, 3.20/s, 4:22 left")
write("slurm", "options", b"--partition gpu --gres=gpu:1 -x \"n[1-2],n7\" --comment 'it'\\''s'")

#!/usr/bin/env python3
"""Writes tests/core/tokenize/goldens: small tokenizers of our own in both generations of files, and what the fast
tokenizers of Hugging Face make of awkward texts with them.

Made with Python 3.11, tokenizers 0.19.1, transformers 4.44.2, sentencepiece 0.2.3, protobuf 7.36.2:

    PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION=python python3 tests/core/tokenize/make_tokenizer_goldens.py [SHARED]

SHARED (default ../shared) has the real vocabularies; their goldens hold ids and places only.
"""
import base64
import json
import pathlib
import shutil
import sys
import tempfile

import sentencepiece
from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import (BertTokenizerFast, CamembertTokenizerFast, PreTrainedTokenizerFast, RobertaTokenizerFast,
                          XLMRobertaTokenizerFast)

HERE = pathlib.Path(__file__).resolve().parent
GOLDENS = HERE / "goldens"

CORPUS = """the cat sat on the mat and the dog ran to the park while it was raining all day long
a wonderful little movie with warm performances and a story that is never dull
this film is not good , it is not even bad , it is simply boring and far too long
the actors were running , jumping and singing through the whole unwanted scene
she said that the café near the naïve artist's résumé shop was closed in 2019
hello world , hello again ! who's there ? it's me , they're late and we'll wait
die größte Straße führt über die Brücke nach Köln , wo der Bäcker Brötchen verkauft
le garçon a mangé une pomme et l'élève étudie à l'école près de la forêt
12 345 67,89 100% of 3.14 and 2021-11-05 at 10:30
ΟΔΟΣ οδος σοφία λόγος Москва говорит по русски 中国 日本語 한국어 tokens
unhappiness , unwanted , unbelievable , running , runner , rerun , lowest newer wider""".split("\n") * 3

TEXTS = [
    "", " ", "   \t\n ", "a", "hello world", "Hello, World!", "  leading and trailing  ", "two  blanks   three",
    "UNwantéd,running", "CAFÉ café cafe\u0301", "naïve résumé", "İstanbul ISTANBUL ıstanbul", "ΟΔΟΣ ὈΔΥΣΣΕΎΣ ς",
    "ẞ ß STRASSE Straße", "ﬁnancial ﬂow ｆｕｌｌｗｉｄｔｈ", "中国a", "日本語テキスト", "한국어 텍스트", "각 \u1100\u1161\u11a8",
    "𠀀𠮷 \U0002B850 \U0002B920 x", "a—b…c", "it's I'LL they're don't 's 't", "$123 €5 £7 100% a+b=c <x>", "12 123 ½ 三 Ⅷ ²",
    "😀 🤷🏽‍♀️ 👨‍👩‍👧‍👦 🇩🇪", "e\u0301\u0323 e\u0323\u0301", "\u0301first", "a\u00a0b", "\u00a0the", "a\u2028b\u2029c", "a\u200bb",
    "a\u200db a\u200cb", "soft\u00adhyphen", "\u200bstart", "a\x00b\ufffdc", "bell\x07 del\x7f esc\x1b[0m", "tab\tend ", "low\n\nnew\r\nx",
    "a\x0bb\x0cc\x1cd\x85e", "שלום עולם", "مرحبا بالعالم", "हिन्दी में", "ภาษาไทย", "x" * 99, "x" * 100, "x" * 101, "é" * 101,
    "supercalifragilisticexpialidocious" * 4, "the [MASK] a", "[CLS]a[SEP]b", "a [mask] b [ MASK ]", "<s>the</s>", "the <mask> cat",
    "the<mask>cat", "the  <mask>  cat <pad><unk>", "<MASK>", "<unk> [UNK]", "▁the ▁ cat", "Ġthe Ċ", "##ing ##", "a##b", "...!!!???", "''``\"\"",
    "https://example.org/a_b?c=d&e=f#g", "user@mail.com @name #tag", "C++ C# F# .NET", "a.b.c. A.B.", "\ufeffbom", "a\u0301b", "ё Ё й Й", "ǅ ǆ Ǆ ŉ",
    "\u1e9b\u0323 \ufb01 \u2460 \u3300", "A\u030a Å \u212b", "\uff21\uff22\uff23", "\U0001d400\U0001d401", "q\u0307\u0323 \u1e0b\u0323", "🙂", "a🙂b", "ab\ue000c",
    "the cat sat on the mat , and it was wonderful !", "it ' s do n't , he 's . we 've you 're I 'm ?", "unhappiness unwanted unbelievable",
]

PAIRS = [
    ("the cat", "a dog ran"), ("", "a dog"), ("the cat", ""), ("", ""), ("the cat sat on the mat", "it was raining all day long"),
    ("a", "the movie was never dull and the story is warm"), ("the movie was never dull and the story is warm", "a"),
    ("café [MASK] <mask>", "😀 İ"),
]
LENGTHS = [4, 5, 6, 7, 8, 9, 12, 16]


def byte_span(text, span):
    begin, end = span
    return [len(text[:begin].encode()), len(text[:end].encode())]


def has_wrong_places(tok, texts):
    """After characters that a Precompiled normalizer removes at the very start, the library's places are wrong by those;
    after an added token it takes a character for the blank that add_prefix_space put in."""
    parts = json.loads(tok.backend_tokenizer.to_str())
    joined = " ".join(text or "" for text in texts)
    if "Precompiled" in json.dumps(parts["normalizer"]):
        return joined.startswith("\u200b")
    return '"add_prefix_space": true' in json.dumps(parts["post_processor"]) and any(
        token["content"] in joined for token in parts["added_tokens"])


def case(tok, text, pair=None, longest=None, brief=False):
    given = dict(truncation="longest_first", max_length=longest) if longest else {}
    # In lists: by itself an empty second text would count as none.
    encoded = tok([text], None if pair is None else [pair], return_offsets_mapping=True, **given)
    encoding = encoded.encodings[0]
    texts = [text, pair]
    segments = [-1 if s is None else s for s in encoding.sequence_ids]
    spans = [[0, 0] if s < 0 else byte_span(texts[s], o) for s, o in zip(segments, encoding.offsets)]
    result = {"text": text}
    if pair is not None:
        result["pair"] = pair
    if longest:
        result["longest"] = longest
    result["ids"] = encoding.ids
    if not has_wrong_places(tok, texts):
        result["spans"] = [x for span in spans for x in span]
    result["words"] = [-1 if w is None else w for w in encoding.word_ids]
    if not brief:
        result["decoded"] = tok.decode(encoding.ids, skip_special_tokens=True, clean_up_tokenization_spaces=True)
    if pair is not None:
        result["types"] = encoding.type_ids
        result["segments"] = segments
    return result


def cases(tok):
    special = tok.num_special_tokens_to_add(True)
    single = [case(tok, text) for text in TEXTS]
    short = [case(tok, text, None, n) for text in TEXTS[4:12] for n in (2, 3, 5)]
    pairs = [case(tok, a, b) for a, b in PAIRS]
    pairs += [case(tok, a, b, n) for a, b in PAIRS for n in LENGTHS if n > special]
    return single + short + pairs


def write_json(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")


def both_generations(name, tokenizer_class, files, settings, **given):
    """Opens the old files as transformers does, writes them and the tokenizer.json made from them, and the goldens."""
    old, new = GOLDENS / name / "files", GOLDENS / name / "json"
    settings = {**settings, "clean_up_tokenization_spaces": True} # what decode() is told below
    for folder in (old, new):
        folder.mkdir(parents=True)
    for file, content in files.items():
        (old / file).write_bytes(content)
    write_json(old / "tokenizer_config.json", settings)
    tok = tokenizer_class.from_pretrained(old, **given)
    with tempfile.TemporaryDirectory() as saved:
        tok.save_pretrained(saved)
        shutil.copy(pathlib.Path(saved) / "tokenizer.json", new)
        full = json.loads((pathlib.Path(saved) / "tokenizer_config.json").read_text())
    write_json(new / "tokenizer_config.json", full)
    write_json(new / "tokenizer.json", json.loads((new / "tokenizer.json").read_text()))
    again = tokenizer_class.from_pretrained(new)
    golden = cases(tok)
    assert golden == cases(again), name
    write_json(GOLDENS / name / "golden.json", golden)
    return tok


def word_piece(name, **settings):
    lower = settings.get("do_lower_case", True)
    trained = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    trained.normalizer = normalizers.BertNormalizer(lowercase=lower)
    trained.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    specials = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    trained.train_from_iterator(CORPUS, trainers.WordPieceTrainer(vocab_size=420, special_tokens=specials, show_progress=False))
    vocab = sorted(trained.get_vocab().items(), key=lambda item: item[1])
    lines = [piece for piece, _ in vocab] + ["😀", "x", "##x", "i̇", "각", "中"]
    text = "".join(line + "\n" for line in lines)
    return both_generations(name, BertTokenizerFast, {"vocab.txt": text.encode()},
                            {"tokenizer_class": "BertTokenizer", "model_max_length": 1e30, **settings})


def byte_bpe(name, **settings):
    trained = Tokenizer(models.BPE())
    trained.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trained.train_from_iterator(CORPUS, trainers.BpeTrainer(
        vocab_size=620, special_tokens=["<s>", "<pad>", "</s>", "<unk>", "<mask>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False))
    model = json.loads(trained.to_str())["model"]
    merges = [m if isinstance(m, str) else " ".join(m) for m in model["merges"]]
    files = {"vocab.json": json.dumps(model["vocab"], ensure_ascii=False).encode(),
             "merges.txt": ("#version: 0.2\n" + "".join(m + "\n" for m in merges)).encode()}
    return both_generations(name, RobertaTokenizerFast, files, {"tokenizer_class": "RobertaTokenizer", **settings})


RULES = """ﬁ\tfi
ﬂ\tfl
½\t1⁄2
²\t2
Ⅷ\tVIII
\u00a0\t\u0020
\u2028\t\u0020
\t\t\u0020
\u200b\t
\u00ad\t
\x07\t
e\u0301\t\u00e9
a\u0301\t\u00e1
\u212b\t\u00c5
ｆ\tf
ｕ\tu
ｌ\tl
Ａ\tA
Ｂ\tB
Ｃ\tC
…\t...
\u3300\tアパート"""


def piece_model(folder):
    """A Unigram model with a small table of replacements."""
    with open(folder / "rules.tsv", "w", encoding="utf-8") as rules:
        for line in RULES.split("\n"):
            source, _, target = line.partition("\t") if line[0] != "\t" else ("\t", "", "\u0020")
            rules.write(" ".join(f"{ord(c):X}" for c in source) + "\t" + " ".join(f"{ord(c):X}" for c in target) + "\n")
    (folder / "corpus.txt").write_text("\n".join(CORPUS), encoding="utf-8")
    sentencepiece.SentencePieceTrainer.train(
        input=str(folder / "corpus.txt"), model_prefix=str(folder / "m"), vocab_size=330, hard_vocab_limit=False,
        normalization_rule_tsv=str(folder / "rules.tsv"), user_defined_symbols=["@name"], minloglevel=2, num_threads=1)
    return (folder / "m.model").read_bytes()


def unigram():
    with tempfile.TemporaryDirectory() as folder:
        model = piece_model(pathlib.Path(folder))
    both_generations("xlm-roberta", XLMRobertaTokenizerFast, {"sentencepiece.bpe.model": model},
                     {"tokenizer_class": "XLMRobertaTokenizer"})
    both_generations("camembert", CamembertTokenizerFast, {"sentencepiece.bpe.model": model},
                     {"tokenizer_class": "CamembertTokenizer"})


def composed(name, tokenizer):
    """Tokenizers that only a tokenizer.json can describe."""
    folder = GOLDENS / name / "json"
    folder.mkdir(parents=True)
    write_json(folder / "tokenizer.json", json.loads(tokenizer.to_str()))
    write_json(folder / "tokenizer_config.json", {"tokenizer_class": "PreTrainedTokenizerFast", "clean_up_tokenization_spaces": True,
                                                   **({"add_prefix_space": True} if name == "bytes-sequence" else {})})
    write_json(GOLDENS / name / "golden.json", cases(PreTrainedTokenizerFast.from_pretrained(folder)))


def words_with_flags():
    vocab = {w: i for i, w in enumerate(["<unk>", "the", "cat", "hello", "world", ",", "a", "12", "dog"])}
    tok = Tokenizer(models.WordLevel(vocab, unk_token="<unk>"))
    tok.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Lowercase(), normalizers.Strip()])
    tok.pre_tokenizer = pre_tokenizers.Whitespace()
    tok.add_special_tokens([AddedToken("[CLS]"), AddedToken("[SEP]"), AddedToken("<mask>", lstrip=True, rstrip=True)])
    tok.add_tokens([AddedToken("CAFÉ", normalized=True), AddedToken("un", single_word=True), AddedToken("it", single_word=True, normalized=False),
                    AddedToken("ing", lstrip=True), AddedToken("b", rstrip=True, single_word=True), AddedToken("hello w")])
    tok.post_processor = processors.TemplateProcessing(
        single="[CLS]:3 $A:1 [SEP]:3", pair="[CLS]:3 $B:2 [SEP]:3 $A:1 [SEP]:3 [SEP]:4",
        special_tokens=[("[CLS]", tok.token_to_id("[CLS]")), ("[SEP]", tok.token_to_id("[SEP]"))])
    composed("word-level", tok)


def bytes_for_unknown():
    pieces = [("<unk>", 0.0), ("▁", -2.0), ("▁the", -3.0), ("a", -4.0), ("t", -4.5), ("h", -4.5), ("e", -4.2), ("▁a", -3.5), ("he", -4.1), ("n", -5.0), ("nn", -5.5)]
    pieces += [(f"<0x{b:02X}>", -20.0) for b in range(256)]
    tok = Tokenizer(models.Unigram(pieces, unk_id=0, byte_fallback=True))
    tok.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    tok.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)])
    composed("unigram-bytes", tok)


def bpe_with_unknowns():
    vocab = {p: i for i, p in enumerate(["<unk>", "t", "h", "e", "th", "the", "</w>", "e</w>", "the</w>", "a", "a</w>", "c", "at</w>", "t</w>", "cat</w>"])}
    merges = [("t", "h"), ("th", "e</w>"), ("a", "t</w>"), ("c", "at</w>"), ("th", "e")]
    tok = Tokenizer(models.BPE(vocab, merges, unk_token="<unk>", end_of_word_suffix="</w>", fuse_unk=True))
    tok.normalizer = normalizers.Sequence([normalizers.NFD(), normalizers.StripAccents(), normalizers.Lowercase()])
    tok.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Punctuation(), pre_tokenizers.Digits(individual_digits=True)])
    tok.decoder = decoders.BPEDecoder()
    composed("bpe-suffix", tok)


def sequence_bytes():
    base = json.loads((GOLDENS / "roberta" / "json" / "tokenizer.json").read_text())
    base["post_processor"] = {"type": "Sequence", "processors": [
        {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
        {"type": "TemplateProcessing",
         "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
         "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": "</s>", "type_id": 1}}, {"Sequence": {"id": "B", "type_id": 1}}],
         "special_tokens": {"<s>": {"id": "<s>", "ids": [0], "tokens": ["<s>"]}, "</s>": {"id": "</s>", "ids": [2, 2], "tokens": ["</s>", "</s>"]}}}]}
    base["pre_tokenizer"] = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}
    base["normalizer"] = {"type": "NFC"}
    base["model"]["merges"] = base["model"]["merges"][:150]
    composed("bytes-sequence", Tokenizer.from_str(json.dumps(base)))


def character_spans(part, text):
    """Every character of a normalised text and where it comes from."""
    tok = Tokenizer(models.BPE({"<unk>": 0}, [], unk_token="<unk>", fuse_unk=False))
    tok.normalizer = part
    return [x for span in tok.encode(text).offsets for x in byte_span(text, span)]


def decoded(part, lists):
    """Without the lists at which the library itself panics (Strip of a piece that is all blanks)."""
    cases = []
    for pieces in lists:
        try:
            cases.append([pieces, part.decode(pieces)])
        except BaseException as error:
            if type(error).__name__ != "PanicException":
                raise
    return cases


def component_goldens():
    def regex(expression):
        from tokenizers import Regex
        return Regex(expression)

    normal = [normalizers.NFC(), normalizers.NFD(), normalizers.NFKC(), normalizers.NFKD(), normalizers.Lowercase(), normalizers.StripAccents(),
              normalizers.BertNormalizer(), normalizers.BertNormalizer(lowercase=False),
              normalizers.BertNormalizer(clean_text=False, handle_chinese_chars=False, strip_accents=True, lowercase=False),
              normalizers.BertNormalizer(strip_accents=False), normalizers.Replace("a", "xyz"), normalizers.Replace(regex(" {2,}"), "▁"), normalizers.Replace(regex(r"\s+"), " "),
              normalizers.Replace("é", ""), normalizers.Strip(), normalizers.Strip(left=False), normalizers.Prepend("▁▁"), normalizers.Sequence([normalizers.NFD(), normalizers.StripAccents(), normalizers.NFC()]),
              normalizers.Nmt(), normalizers.ByteLevel()]
    pre = [pre_tokenizers.BertPreTokenizer(), pre_tokenizers.Whitespace(), pre_tokenizers.WhitespaceSplit(), pre_tokenizers.ByteLevel(add_prefix_space=False),
           pre_tokenizers.ByteLevel(add_prefix_space=True), pre_tokenizers.ByteLevel(add_prefix_space=True, use_regex=False), pre_tokenizers.Metaspace(),
           pre_tokenizers.Metaspace(prepend_scheme="never"), pre_tokenizers.Metaspace(prepend_scheme="first"), pre_tokenizers.Metaspace(split=False), pre_tokenizers.Digits(), pre_tokenizers.Digits(individual_digits=True),
           pre_tokenizers.CharDelimiterSplit("a")]
    pre += [pre_tokenizers.Punctuation(b) for b in ("isolated", "removed", "merged_with_previous", "merged_with_next", "contiguous")]
    pre += [pre_tokenizers.Split(regex(e), b, invert) for e, b, invert in (
        (r"\s+", "isolated", False), (r"\d", "isolated", False), (r"[0-9]+", "merged_with_next", False), (r"\w+|[^\w\s]+", "removed", True), (r"[a-z]{2,3}", "isolated", False),
        (r"[^\s]+", "contiguous", True), (r"\p{L}+|\p{N}{1,3}", "isolated", False), (r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+", "isolated", False))]
    pre += [pre_tokenizers.Split("the", "merged_with_previous"), pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()])]
    pieces = ["the", "##ing", "un", "##'", "▁the", "▁cat", "s", "▁", "Ġthe", "Ã", "©", "ðŁ", "Ĳ", "<0xC3>", "<0xA9>", "<0xF0>", "a</w>", " ", "b", "?", ".", "n't", "'s", "do", "not", " x ", "€"]
    lists = [pieces, pieces[::-1], [], ["▁▁a"], ["Ġa", "âĤ", "x", "â", "ð"], ["<0xE2>", "<0x82>", "<0xAC>", "<0x41>"], ["a", ".", ",", "'", "s"]]
    decode = [decoders.WordPiece(), decoders.WordPiece(prefix="##", cleanup=False), decoders.ByteLevel(), decoders.Metaspace(), decoders.Metaspace(prepend_scheme="never"), decoders.BPEDecoder(),
              decoders.Fuse(), decoders.ByteFallback(), decoders.Strip(" ", 1, 1), decoders.Replace("▁", " "), decoders.Sequence([decoders.ByteFallback(), decoders.Fuse()])]
    result = {"normalizers": [], "pre_tokenizers": [], "decoders": []}
    texts = [t for t in TEXTS if len(t) < 90]
    for part in normal:
        result["normalizers"].append({"part": json.loads(part.__getstate__()), "cases": [
            [t, part.normalize_str(t), character_spans(part, t)] for t in texts]})
    for part in pre:
        result["pre_tokenizers"].append({"part": json.loads(part.__getstate__()), "cases": [
            [t, [[w, *byte_span(t, s)] for w, s in part.pre_tokenize_str(t)]] for t in texts if t]})
    for part in decode:
        result["decoders"].append({"part": json.loads(part.__getstate__()), "cases": decoded(part, lists)})
    for kind, values in result.items():
        for i in range(0, len(values), 6):
            write_json(GOLDENS / "components" / f"{kind}{i // 6}.json", {kind: values[i:i + 6]})


def real_vocabularies(shared):
    """Ids only: the vocabularies themselves are not ours."""
    brief = lambda tok: [case(tok, t, brief=True) for t in TEXTS] + [case(tok, a, b, n, brief=True) for a, b in PAIRS for n in (None, 9, 16)]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        shutil.copy(shared / "data/vocab_bert_base_uncased/vocab.txt", folder)
        write_json(folder / "tokenizer_config.json", {"tokenizer_class": "BertTokenizer"})
        write_json(GOLDENS / "real" / "bert-base-uncased.json", brief(BertTokenizerFast.from_pretrained(folder)))
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        vocab = json.loads((shared / "data/vocab_gpt2/vocab.json").read_text())
        shutil.copy(shared / "data/vocab_gpt2/merges.txt", folder)
        write_json(folder / "vocab.json", vocab)
        end = "<|endoftext|>"
        settings = {"tokenizer_class": "RobertaTokenizer", **{f"{k}_token": end for k in ("bos", "eos", "sep", "cls", "unk", "pad", "mask")}}
        write_json(folder / "tokenizer_config.json", settings)
        write_json(GOLDENS / "real" / "gpt2.json", {"settings": settings, "cases": brief(RobertaTokenizerFast.from_pretrained(folder))})
    for name in ("albert_spiece", "hf_test_sentencepiece", "sentencepiece_test_ja_model"):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            shutil.copy(shared / f"data/spm_models/{name}.model", folder / "sentencepiece.bpe.model")
            (folder / "sentencepiece.bpe.model").chmod(0o644)
            write_json(folder / "tokenizer_config.json", {"tokenizer_class": "XLMRobertaTokenizer"})
            # ALBERT's own special pieces, which its files have in other places, would become ids beyond its vocabulary.
            golden = [c for c in brief(XLMRobertaTokenizerFast.from_pretrained(folder)) if "[CLS]" not in c["text"]]
            write_json(GOLDENS / "real" / f"{name}.json", golden)


def main():
    shared = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else HERE.parents[2] / ".." / "shared")
    shutil.rmtree(GOLDENS, ignore_errors=True)
    word_piece("bert-uncased")
    word_piece("bert-cased", do_lower_case=False, strip_accents=False)
    word_piece("bert-accents", do_lower_case=True, strip_accents=False, tokenize_chinese_chars=False)
    byte_bpe("roberta")
    byte_bpe("roberta-prefixed", add_prefix_space=True)
    unigram()
    words_with_flags()
    bytes_for_unknown()
    bpe_with_unknowns()
    sequence_bytes()
    component_goldens()
    real_vocabularies(shared)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Writes tests/core/tokenize/familygoldens: small tokenizers of our own in the files of BART, mBART, mBART-50, M2M-100,
NLLB, T5, GPT-2, Qwen2 and Llama, and what the tokenizers of Hugging Face make of awkward texts with them.

Made with Python 3.11, tokenizers 0.19.1, transformers 4.44.2, sentencepiece 0.2.3, protobuf 7.36.2:

    PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION=python python3 tests/core/tokenize/make_family_goldens.py [SHARED]

SHARED (default ../shared) has the real vocabularies. Those of DeBERTa are made by themselves afterwards, with transformers
4.57.1, tokenizers 0.22.2: --deberta; so are those of ALBERT, Pegasus and Gemma: --pieces.
"""
import json
import pathlib
import shutil
import sys
import tempfile

import sentencepiece
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import (BartTokenizerFast, DebertaV2TokenizerFast, GPT2TokenizerFast, LlamaTokenizerFast, M2M100Tokenizer, MBart50TokenizerFast,
                          MBartTokenizerFast, NllbTokenizerFast, PreTrainedTokenizerFast, Qwen2TokenizerFast, T5TokenizerFast)

from transformers.models.m2m_100.tokenization_m2m_100 import FAIRSEQ_LANGUAGE_CODES as M2M_LANGUAGES
from transformers.models.nllb.tokenization_nllb import FAIRSEQ_LANGUAGE_CODES as NLLB_LANGUAGES

from make_tokenizer_goldens import CORPUS, HERE, RULES, case, write_json

GOLDENS = HERE / "familygoldens"

TEXTS = [
    "", " ", " \t\n ", "a", "hello world", "Hello, World!", "  leading and trailing  ", "two  blanks   three",
    "CAFÉ café cafe\u0301", "naïve résumé", "ΟΔΟΣ ς", "ẞ ß Straße", "ﬁnancial ｆｕｌｌ ½ ²", "中国a", "日本語テキスト", "한국어 텍스트",
    "a—b…c", "it's I'LL they're DON'T WE'VE 's 'T 'ſ", "I'm'd'LL '", "$123 €5 a+b=c <x>", "12 123 1234567 ½ 三 Ⅷ", "3rd2nd_x",
    "😀 🤷🏽‍♀️ 🇩🇪", "a\u00a0b", "\u00a0the", "a\u2028b", "a\u200bb", "soft\u00adhyphen", "\u200bstart", "tab\tend ", "low\n\nnew\r\nx",
    "a \n b\n", "x\n\n\n  y", "  \n\n  z \n", "end.\n\nNext!\r\n...", "(a)[b]{c}\n", "a\x0bb\x0cc\x85e", "a\x00b\ufffdc", "שלום עולם", "हिन्दी में", "ภาษาไทย",
    "<s>the</s>", "the <mask> cat", "the<mask>cat", "the  <mask>  cat <pad><unk>", "<unk> x", "<extra_id_0> the <extra_id_99>", "a<extra_id_7>b",
    "en_XX the", "__en__ the __fr__", "eng_Latn the", "the <|endoftext|> cat", "<0x0A> <0xFF>", "▁the ▁ cat", "Ġthe Ċ", "...!!!???",
    "https://example.org/a_b?c=d", "user@mail.com @name #tag", "\ufeffbom", "ё Ё й Й", "it ' s do n't , he 's . I 'm ?", "unhappiness unwanted unbelievable",
]
PAIRS = [("the cat", "a dog ran"), ("", "a dog"), ("the cat sat on the mat", "it was raining"), ("café <mask>", "😀")]


def cases(tok, with_target=False, text_only=False):
    found = []
    for text in TEXTS:
        if text_only:
            one = {"text": text, "ids": tok(text)["input_ids"]}
            one["decoded"] = tok.decode(one["ids"], skip_special_tokens=True)
        else:
            one = case(tok, text)
            one["decoded"] = tok.decode(one["ids"], skip_special_tokens=True)
        if with_target:
            one["target"] = tok(text_target=text)["input_ids"]
        found.append(one)
    if not text_only:
        for a, b in PAIRS:
            for longest in (None, 8):
                one = case(tok, a, b, longest)
                one["decoded"] = tok.decode(one["ids"], skip_special_tokens=True)
                found.append(one)
    return found


def write_old(folder, files, settings):
    folder.mkdir(parents=True)
    for file, content in files.items():
        (folder / file).write_bytes(content)
    write_json(folder / "tokenizer_config.json", settings)


def write_new(folder, tok):
    folder.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as saved:
        tok.save_pretrained(saved)
        for file in ("tokenizer.json", "tokenizer_config.json"):
            settings = json.loads((pathlib.Path(saved) / file).read_text())
            settings.pop("add_prefix_space", None) # it would send some classes back to the old files
            write_json(folder / file, settings)


def family(name, tokenizer_class, files, settings, languages=None, generations=("files", "json"), told=None):
    """The old files, the tokenizer.json that transformers makes of them, and the goldens of both. `told`: settings that
    transformers needs besides to read the old files rightly."""
    old, new = GOLDENS / name / "files", GOLDENS / name / "json"
    if tokenizer_class is not LlamaTokenizerFast: # the default of transformers 4.44, which newer versions do not have
        settings = {**settings, "clean_up_tokenization_spaces": settings.get("clean_up_tokenization_spaces", True)}
    given = dict(src_lang=languages[0], tgt_lang=languages[1]) if languages else {}
    write_old(old, files, {**settings, **(told or {})})
    tok = tokenizer_class.from_pretrained(old, **given)
    golden = {"languages": list(languages or []), "cases": cases(tok, bool(languages))}
    if languages:
        golden["languageIds"] = tok.convert_tokens_to_ids(list(languages))
    if "json" in generations:
        # Saved with other languages than those of the goldens: the file's own template must not count.
        write_new(new, tokenizer_class.from_pretrained(old))
        again = tokenizer_class.from_pretrained(new, **given)
        difference = [(a, b) for a, b in zip(golden["cases"], cases(again, bool(languages))) if a != b]
        assert not difference, (name, difference[:3])
    write_json(old / "tokenizer_config.json", settings)
    write_json(GOLDENS / name / "golden.json", golden)


def byte_bpe_files(specials, split=None):
    trained = Tokenizer(models.BPE())
    trained.pre_tokenizer = split or pre_tokenizers.ByteLevel(add_prefix_space=False)
    trained.train_from_iterator(CORPUS, trainers.BpeTrainer(
        vocab_size=480, special_tokens=specials, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False))
    model = json.loads(trained.to_str())["model"]
    merges = [m if isinstance(m, str) else " ".join(m) for m in model["merges"]]
    return {"vocab.json": json.dumps(model["vocab"], ensure_ascii=False).encode(),
            "merges.txt": ("#version: 0.2\n" + "".join(m + "\n" for m in merges)).encode()}


def byte_level_families():
    family("bart", BartTokenizerFast, byte_bpe_files(["<s>", "<pad>", "</s>", "<unk>", "<mask>"]), {"tokenizer_class": "BartTokenizer"})
    family("gpt2", GPT2TokenizerFast, byte_bpe_files(["<|endoftext|>"]), {"tokenizer_class": "GPT2Tokenizer"})
    family("gpt2-bos", GPT2TokenizerFast, byte_bpe_files(["<|endoftext|>"]),
           {"tokenizer_class": "GPT2Tokenizer", "add_bos_token": True, "add_prefix_space": True, "clean_up_tokenization_spaces": False}, generations=("files",))
    added = {str(i): dict(content=c, lstrip=False, normalized=False, rstrip=False, single_word=False, special=True)
             for i, c in ((480, "<|endoftext|>"), (481, "<|im_start|>"))}
    family("qwen2", Qwen2TokenizerFast, byte_bpe_files([]),
           {"tokenizer_class": "Qwen2Tokenizer", "added_tokens_decoder": added, "clean_up_tokenization_spaces": False,
            "eos_token": "<|endoftext|>", "pad_token": "<|endoftext|>", "unk_token": None, "bos_token": None})


SPLITS = {
    "qwen2": r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    "gpt-4": r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    "gpt-4o": r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    "mistral": r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    "lookahead": r"\s+(?=\S)|[a-z]+(?![0-9])|x?y|a*b",
    "bloom": r" ?[^(\s|[.,!?…。，、।۔،])]+",
    "deepseek": r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    "digits": r"[0-9][0-9][0-9]",
    "groups": r"(?<=[a-z])(ing|ed)\b|(a|b)+c|(\w)\3|\d+?",
    "empty": r"a*|\b",
}


def llama3():
    """As Llama 3 has it: GPT-4's expression, whole words from the vocabulary, a template after ByteLevel."""
    def split():
        return pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(SPLITS["gpt-4"]), "isolated"),
                                        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    files = byte_bpe_files([], split())
    vocab = json.loads(files["vocab.json"])
    for word in ("Ġraining", "unwanted", "Ġdoesn"):
        vocab.setdefault(word, len(vocab))
    merges = [tuple(line.split(" ")) for line in files["merges.txt"].decode().split("\n")[1:-1]]
    tok = Tokenizer(models.BPE(vocab, merges, ignore_merges=True))
    tok.pre_tokenizer = split()
    tok.decoder = decoders.ByteLevel()
    tok.add_special_tokens([AddedToken(t, normalized=False) for t in ("<|begin_of_text|>", "<|end_of_text|>")])
    begin = ("<|begin_of_text|>", tok.token_to_id("<|begin_of_text|>"))
    tok.post_processor = processors.Sequence([processors.ByteLevel(trim_offsets=False), processors.TemplateProcessing(
        single="<|begin_of_text|> $A", pair="<|begin_of_text|> $A <|begin_of_text|>:1 $B:1", special_tokens=[begin])])
    folder = GOLDENS / "llama3" / "json"
    folder.mkdir(parents=True)
    write_json(folder / "tokenizer.json", json.loads(tok.to_str()))
    write_json(folder / "tokenizer_config.json", {"tokenizer_class": "PreTrainedTokenizerFast", "clean_up_tokenization_spaces": True})
    golden = cases(PreTrainedTokenizerFast.from_pretrained(folder))
    for one in golden:
        one.pop("spans", None) # of whole words from the vocabulary, version 0.19 says (0, 0)
    write_json(GOLDENS / "llama3" / "golden.json", {"languages": [], "cases": golden})


def split_goldens():
    """The expressions by themselves."""
    found = []
    for name, expression in SPLITS.items():
        part = pre_tokenizers.Split(Regex(expression), "isolated")
        found.append({"part": json.loads(part.__getstate__()), "cases": [
            [t, [w for w, _ in part.pre_tokenize_str(t)]] for t in TEXTS if t]})
    write_json(GOLDENS / "splits.json", found)


def spm_model(folder, **options):
    with open(folder / "rules.tsv", "w", encoding="utf-8") as rules:
        for line in RULES.split("\n"):
            source, _, target = line.partition("\t") if line[0] != "\t" else ("\t", "", "\u0020")
            rules.write(" ".join(f"{ord(c):X}" for c in source) + "\t" + " ".join(f"{ord(c):X}" for c in target) + "\n")
    (folder / "corpus.txt").write_text("\n".join(CORPUS), encoding="utf-8")
    if options.get("normalization_rule_name") is None:
        options["normalization_rule_tsv"] = str(folder / "rules.tsv")
    sentencepiece.SentencePieceTrainer.train(
        input=str(folder / "corpus.txt"), model_prefix=str(folder / "m"), vocab_size=options.pop("vocab_size", 330),
        hard_vocab_limit=options.get("model_type") == "bpe", minloglevel=2, num_threads=1, **options)
    return (folder / "m.model").read_bytes()


def trained(**options):
    with tempfile.TemporaryDirectory() as folder:
        return spm_model(pathlib.Path(folder), **options)


def nllb_tokens(size, languages):
    """The tokens after the pieces, as new folders list them."""
    token = lambda text, **flags: dict(content=text, lstrip=False, normalized=False, rstrip=False, single_word=False, special=True, **flags)
    tokens = [token(t) for t in ("<s>", "<pad>", "</s>", "<unk>")]
    decoder = {str(i): t for i, t in enumerate(tokens)}
    decoder.update({str(size + 1 + i): token(code) for i, code in enumerate(languages)})
    decoder[str(size + 1 + len(languages))] = {**token("<mask>"), "lstrip": True, "normalized": True}
    return {"added_tokens_decoder": decoder, "additional_special_tokens": list(languages)}


def multilingual():
    model = trained()
    files = {"sentencepiece.bpe.model": model}
    family("mbart", MBartTokenizerFast, files, {"tokenizer_class": "MBartTokenizer"}, ("de_DE", "ro_RO"))
    family("mbart50", MBart50TokenizerFast, files, {"tokenizer_class": "MBart50Tokenizer"}, ("de_DE", "sl_SI"))
    size = sentencepiece.SentencePieceProcessor(model_proto=model).get_piece_size()
    # Of old files alone, transformers 4.44 puts <mask> before the languages, where no model has it.
    family("nllb", NllbTokenizerFast, {"sentencepiece.bpe.model": trained(model_type="bpe", vocab_size=280)},
           {"tokenizer_class": "NllbTokenizer"}, ("fra_Latn", "zul_Latn"), told=nllb_tokens(280, NLLB_LANGUAGES))
    few = ["deu_Latn", "eng_Latn", "fra_Latn", "zho_Hans"]
    family("nllb-legacy", NllbTokenizerFast, files,
           {"tokenizer_class": "NllbTokenizer", "legacy_behaviour": True, **nllb_tokens(size, few)}, ("fra_Latn", "zho_Hans"))
    m2m(model)


def m2m(model):
    spm = sentencepiece.SentencePieceProcessor(model_proto=model)
    pieces = [spm.id_to_piece(i) for i in range(3, spm.get_piece_size())]
    # Some pieces of the model have no id, and others stand in another order.
    kept = [p for i, p in enumerate(sorted(pieces)) if i % 23]
    vocab = {p: i for i, p in enumerate(["<s>", "<pad>", "</s>", "<unk>"] + kept)}
    files = {"sentencepiece.bpe.model": model, "vocab.json": json.dumps(vocab, ensure_ascii=False).encode()}
    for name, codes, languages in (("m2m", "m2m100", ("fr", "zu")), ("wmt21", "wmt21", ("en", "de"))):
        folder = GOLDENS / name / "files"
        settings = {"tokenizer_class": "M2M100Tokenizer", "language_codes": codes, "num_madeup_words": 8}
        write_old(folder, files, {**settings, "additional_special_tokens": [f"__{c}__" for c in M2M_LANGUAGES[codes]]})
        tok = M2M100Tokenizer.from_pretrained(folder, src_lang=languages[0], tgt_lang=languages[1])
        write_json(GOLDENS / name / "golden.json",
                   {"languages": languages, "languageIds": [tok.get_lang_id(c) for c in languages],
                    "cases": cases(tok, True, text_only=True)})
        if name == "m2m":
            write_json(folder / "tokenizer_config.json", settings)


def t5():
    model = trained(pad_id=0, eos_id=1, unk_id=2, bos_id=-1)
    family("t5", T5TokenizerFast, {"spiece.model": model}, {"tokenizer_class": "T5Tokenizer"})
    family("mt5", T5TokenizerFast, {"spiece.model": model}, {"tokenizer_class": "T5Tokenizer", "extra_ids": 0})


def deberta():
    """With transformers 4.57.1."""
    model = trained(pad_id=0, bos_id=1, eos_id=2, unk_id=3, pad_piece="[PAD]", bos_piece="[CLS]", eos_piece="[SEP]",
                    unk_piece="[UNK]")
    family("deberta", DebertaV2TokenizerFast, {"spm.model": model},
           {"tokenizer_class": "DebertaV2Tokenizer", "clean_up_tokenization_spaces": False})
    family("deberta-lower", DebertaV2TokenizerFast, {"spm.model": model},
           {"tokenizer_class": "DebertaV2Tokenizer", "do_lower_case": True, "split_by_punct": True,
            "clean_up_tokenization_spaces": False})


def pieces():
    """With transformers 4.57.1: classes whose folders may hold a SentencePiece model alone."""
    from transformers import AlbertTokenizerFast, GemmaTokenizerFast, PegasusTokenizerFast
    model = trained(pad_id=0, unk_id=1, bos_id=2, eos_id=3, bos_piece="[CLS]", eos_piece="[SEP]",
                    user_defined_symbols=["[MASK]", "1,", "2,000,"])
    family("albert", AlbertTokenizerFast, {"spiece.model": model}, {"tokenizer_class": "AlbertTokenizer"})
    family("albert-accents", AlbertTokenizerFast, {"spiece.model": model},
           {"tokenizer_class": "AlbertTokenizer", "do_lower_case": False, "keep_accents": True}, generations=("files",))
    model = trained(pad_id=0, eos_id=1, unk_id=2, bos_id=-1)
    family("pegasus", PegasusTokenizerFast, {"spiece.model": model}, {"tokenizer_class": "PegasusTokenizer"})
    model = trained(model_type="bpe", vocab_size=600, byte_fallback=True, normalization_rule_name="identity",
                    split_digits=True, remove_extra_whitespaces=False, add_dummy_prefix=False, pad_id=0, eos_id=1, bos_id=2,
                    unk_id=3, eos_piece="<eos>", bos_piece="<bos>",
                    user_defined_symbols=["<start_of_turn>", "<end_of_turn>"])
    family("gemma", GemmaTokenizerFast, {"tokenizer.model": model}, {"tokenizer_class": "GemmaTokenizer"})


def llama():
    model = trained(model_type="bpe", vocab_size=600, byte_fallback=True, normalization_rule_name="identity", split_digits=True,
                    remove_extra_whitespaces=False, user_defined_symbols=["@name"])
    files = {"tokenizer.model": model}
    family("llama", LlamaTokenizerFast, files, {"tokenizer_class": "LlamaTokenizer"})
    family("llama-new", LlamaTokenizerFast, files, {"tokenizer_class": "LlamaTokenizer", "legacy": False, "add_eos_token": True})


def real_vocabularies(shared):
    """Ids and texts only: the vocabularies themselves are not ours."""
    albert = "spm_models/albert_spiece.model"
    rows = [("gpt2", GPT2TokenizerFast, {"vocab.json": "vocab_gpt2/vocab.json", "merges.txt": "vocab_gpt2/merges.txt"}, []),
            ("t5-albert", T5TokenizerFast, {"spiece.model": albert}, []),
            ("mbart50-albert", MBart50TokenizerFast, {"sentencepiece.bpe.model": albert}, ["fr_XX", "pl_PL"])]
    for name, tokenizer_class, files, languages in rows:
        settings = {"tokenizer_class": tokenizer_class.__name__, "clean_up_tokenization_spaces": True}
        if name == "t5-albert": # it has an end token of another name, and none of the others
            settings.update(eos_token="[SEP]", unk_token="<unk>", pad_token="<pad>")
        with tempfile.TemporaryDirectory() as folder:
            for file, source in files.items():
                (pathlib.Path(folder) / file).write_bytes((shared / "data" / source).read_bytes())
            write_json(pathlib.Path(folder) / "tokenizer_config.json", settings)
            given = dict(src_lang=languages[0], tgt_lang=languages[1]) if languages else {}
            tok = tokenizer_class.from_pretrained(folder, **given)
            golden = [c for c in cases(tok, bool(languages), text_only=True) if "[CLS]" not in c["text"]]
            if name == "t5-albert": # the original puts "</s>" after texts, whatever the end token is
                for one in golden:
                    assert one["ids"][-1] == tok.unk_token_id
                    one["ids"][-1] = tok.eos_token_id
            write_json(GOLDENS / "real" / f"{name}.json",
                       {"files": files, "settings": settings, "languages": languages, "cases": golden})


def main():
    if sys.argv[1:] == ["--deberta"]:
        return deberta()
    if sys.argv[1:] == ["--pieces"]:
        return pieces()
    shared = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else HERE.parents[2] / ".." / "shared")
    shutil.rmtree(GOLDENS, ignore_errors=True)
    byte_level_families()
    llama3()
    split_goldens()
    multilingual()
    t5()
    llama()
    real_vocabularies(shared)


if __name__ == "__main__":
    main()

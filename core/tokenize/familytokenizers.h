#pragma once

#include "core/tokenize/tokenizer.h"
#include "core/tokenize/tokenizersettings.h"

#include <memory>
#include <string>
#include <vector>

/// How the tokenizers of families are made from the files of a model folder, as their original classes make them. A new
/// one is a file of its own, its function here, and its line in the table of tokenizer.cpp. Errors name the file.
namespace headscope {

/// ALBERT: tokenizer.json, or a Unigram model of SentencePiece (spiece.model), with pairs as BERT has them.
Result<std::unique_ptr<Tokenizer>> openAlbertTokenizer(const TokenizerFiles &files);

/// BERT, DistilBERT and ELECTRA: tokenizer.json, or WordPiece with the pieces of vocab.txt.
Result<std::unique_ptr<Tokenizer>> openBertTokenizer(const TokenizerFiles &files);

/// DeBERTa-v2 and v3: tokenizer.json, or a Unigram model of SentencePiece (spm.model) with its own special tokens in
/// it, [MASK] after its pieces, and pairs as BERT has them.
Result<std::unique_ptr<Tokenizer>> openDebertaTokenizer(const TokenizerFiles &files);

/// Gemma: tokenizer.json, or the pieces of tokenizer.model after <pad>, <eos>, <bos>. What stands around a text is
/// add_bos_token's (true where nothing is said) and add_eos_token's word, unless the folder names a general class or
/// was saved by transformers 5.
Result<std::unique_ptr<Tokenizer>> openGemmaTokenizer(const TokenizerFiles &files);

/// GPT-NeoX (Pythia, OLMo 1 and 2): tokenizer.json, less what it puts around a text, which is add_bos_token's and
/// add_eos_token's word (false where nothing is said), unless the folder names a general class.
Result<std::unique_ptr<Tokenizer>> openGptNeoxTokenizer(const TokenizerFiles &files);

/// GPT-2: tokenizer.json, or byte-level BPE with vocab.json and merges.txt. No special tokens around a text, unless
/// add_bos_token says so.
Result<std::unique_ptr<Tokenizer>> openGpt2Tokenizer(const TokenizerFiles &files);
/// Qwen2: that of GPT-2 over composed characters (NFC), with words split as GPT-4 does and digits one by one.
Result<std::unique_ptr<Tokenizer>> openQwen2Tokenizer(const TokenizerFiles &files);
/// How words are split by it.
extern const char *const kQwen2Words;

/// A model in GGUF, by what its file says: pieces of SentencePiece with scores ("llama") as Llama reads them, or
/// byte-level BPE ("gpt2") with words split as the file names it. Errors: others, by the file's words for them.
Result<std::unique_ptr<Tokenizer>> openGgufTokenizer(const TokenizerFiles &files);

/// Llama 1 and 2, Mistral: tokenizer.json, or the pieces of tokenizer.model, whose scores order the merges. What
/// stands around a text is add_bos_token's and add_eos_token's word, as in the original class, unless the folder names
/// a general one or was saved by transformers 5, which takes what tokenizer.json says.
Result<std::unique_ptr<Tokenizer>> openLlamaTokenizer(const TokenizerFiles &files);

/// M2M-100: __en__ text </s>, of sentencepiece.bpe.model's pieces with the ids of vocab.json and the languages after
/// them. A folder of this kind without vocab.json is NLLB's.
Result<std::unique_ptr<Tokenizer>> openM2mTokenizer(const TokenizerFiles &files);

/// Marian and OPUS-MT: SentencePiece pieces from source.spm or target.spm, ids from vocab.json (and from
/// target_vocab.json with separate_vocabs). Behaves as MarianTokenizer of transformers 4.27.
Result<std::unique_ptr<Tokenizer>> openMarianTokenizer(const TokenizerFiles &files);
/// Tokenizers that Marian trained itself: SentencePiece models (source.spm and target.spm) whose pieces have the ids of
/// vocab.yml, or models that are the vocabularies (vocab.spm).
Result<std::unique_ptr<Tokenizer>> openMarianNmtTokenizer(const TokenizerFiles &files);
/// Names of the files with the vocabularies of source and target; empty: config.json names none.
std::vector<std::string> marianNmtVocabularies(const TokenizerFiles &files);

// tokenizer.json, or the pieces of sentencepiece.bpe.model after fairseq's first four and before the languages. Where
// no language is chosen there is no token for it.

/// mBART with 25 languages: text </s> en_XX; the target's token starts the decoder.
Result<std::unique_ptr<Tokenizer>> openMbartTokenizer(const TokenizerFiles &files);
/// mBART-50: en_XX text </s>; the target's token is the first that is generated.
Result<std::unique_ptr<Tokenizer>> openMbart50Tokenizer(const TokenizerFiles &files);
/// NLLB: eng_Latn text </s>, or text </s> eng_Latn where legacy_behaviour says so; generation as for mBART-50.
Result<std::unique_ptr<Tokenizer>> openNllbTokenizer(const TokenizerFiles &files);

/// Pegasus: tokenizer.json, or the pieces of spiece.model after <pad>, </s>, two masks and <unk_2> … <unk_102>.
Result<std::unique_ptr<Tokenizer>> openPegasusTokenizer(const TokenizerFiles &files);

/// The tokenizer that RoBERTa shares with its relatives of other vocabularies.
inline constexpr SpecialToken kRobertaSpecial[]
    = {{"bos_token", "<s>"},   {"eos_token", "</s>"}, {"unk_token", "<unk>"},        {"sep_token", "</s>"},
       {"pad_token", "<pad>"}, {"cls_token", "<s>"},  {"mask_token", "<mask>", true}};
inline constexpr const SpecialToken &kRobertaSeparator = kRobertaSpecial[3];
inline constexpr const SpecialToken &kRobertaClassifier = kRobertaSpecial[5];

/// RoBERTa: tokenizer.json, or byte-level BPE with vocab.json and merges.txt.
Result<std::unique_ptr<Tokenizer>> openRobertaTokenizer(const TokenizerFiles &files);

/// T5, mT5, Flan-T5: tokenizer.json, or the pieces of spiece.model with <extra_id_99> … <extra_id_0> after them.
Result<std::unique_ptr<Tokenizer>> openT5Tokenizer(const TokenizerFiles &files);

/// XLM-RoBERTa: tokenizer.json, or the pieces of sentencepiece.bpe.model after fairseq's <s> <pad> </s> <unk>.
Result<std::unique_ptr<Tokenizer>> openXlmRobertaTokenizer(const TokenizerFiles &files);
/// CamemBERT: that of XLM-RoBERTa with two more pieces that are not used.
Result<std::unique_ptr<Tokenizer>> openCamembertTokenizer(const TokenizerFiles &files);

} // namespace headscope

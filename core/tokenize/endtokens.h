#pragma once

#include "core/tokenize/pipeline/pipelinetokenizer.h"
#include "core/tokenize/tokenizer.h"

namespace headscope {

/// Begin and end tokens of a class, where the folder's files do not say.
struct EndTokens
{
    const char *begin = "<s>";
    const char *end = "</s>";
    bool begins = true; ///< add_bos_token
    bool ends = false;  ///< add_eos_token
};

/// Puts them around each text, as far as tokenizer_config.json wants them: Llama's, Gemma's and GPT-NeoX' classes of
/// transformers 4 write the post-processor anew, whatever tokenizer.json says. Where that changes what a text becomes,
/// a note says so. Throws Failure where the vocabulary lacks a token that is wanted.
void setEndTokens(pipeline::Components &parts, const TokenizerFiles &files, const EndTokens &tokens);

/// "[CLS] A [SEP]" and, with token type 1 from B on, "[CLS] A [SEP] B [SEP]", as BERT reads texts and pairs. Throws
/// Failure where the vocabulary lacks one of the two tokens.
void setBertTemplate(pipeline::Components &parts, const TokenizerFiles &files);

} // namespace headscope

#include "core/tokenize/endtokens.h"
#include "core/tokenize/familytokenizers.h"
#include "core/tokenize/tokenizerjson.h"

namespace headscope {

Result<std::unique_ptr<Tokenizer>> openGptNeoxTokenizer(const TokenizerFiles &files)
{
    if (!files.has("tokenizer.json"))
        return badInput(files.folder.string()
                        + " has no tokenizer.json, which a tokenizer of GPT-NeoX needs; give the data as JSON lines "
                          "with input_ids instead");
    const auto json = readTokenizerJson(files);
    if (!json.isOk())
        return json.error();
    return fromParts(files, json.value(), "tokenizer.json", [&](pipeline::Components &parts) {
        if (files.isOfVersion5() && !files.isGeneric)
            parts.postProcessor = {}; // the class of transformers 5 writes an empty one
        else if (!files.isGeneric)
            setEndTokens(parts, files, {"<|endoftext|>", "<|endoftext|>", false, false});
    });
}

} // namespace headscope

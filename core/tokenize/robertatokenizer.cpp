#include "core/tokenize/familytokenizers.h"

#include "core/tokenize/bytelevelfiles.h"
#include "core/tokenize/tokenizerjson.h"
#include "core/tokenize/tokenizersettings.h"

#include <utility>

namespace headscope {

Result<std::unique_ptr<Tokenizer>> openRobertaTokenizer(const TokenizerFiles &files)
{
    if (files.has("tokenizer.json"))
        return openTokenizerJson(files);
    auto read = readByteLevelFiles(files, kRobertaSpecial);
    if (!read.isOk())
        return read.error();
    nlohmann::json json = std::move(read).value();
    const auto cls = tokenWithId(files, kRobertaClassifier, json["model"]["vocab"]);
    const auto sep = tokenWithId(files, kRobertaSeparator, json["model"]["vocab"]);
    for (const auto *token : {&cls, &sep})
        if (!token->isOk())
            return token->error();
    const bool prefixed = setting(files, "add_prefix_space", false);
    json["pre_tokenizer"] = {{"type", "ByteLevel"}, {"add_prefix_space", prefixed}};
    json["post_processor"] = {{"type", "RobertaProcessing"},
                              {"cls", cls.value()},
                              {"sep", sep.value()},
                              {"trim_offsets", setting(files, "trim_offsets", true)},
                              {"add_prefix_space", prefixed}};
    return tokenizerFromJson(json, (files.folder / "vocab.json").string(), files);
}

} // namespace headscope

#include "core/tokenize/robertatokenizer.h"

#include "core/tokenize/bytelevelfiles.h"
#include "core/tokenize/tokenizerjson.h"
#include "core/tokenize/tokenizersettings.h"

#include <utility>

namespace headscope {

Result<std::unique_ptr<Tokenizer>> openRobertaTokenizer(const TokenizerFiles &files)
{
    if (files.has("tokenizer.json"))
        return openTokenizerJson(files);
    auto read = readByteLevelFiles(files);
    if (!read.isOk())
        return read.error();
    auto [vocabulary, merges] = std::move(read).value();
    const auto cls = tokenWithId(files, kRobertaClassifier, vocabulary);
    const auto sep = tokenWithId(files, kRobertaSeparator, vocabulary);
    for (const auto *token : {&cls, &sep})
        if (!token->isOk())
            return token->error();
    const bool prefixed = setting(files, "add_prefix_space", false);
    nlohmann::json json{{"pre_tokenizer", {{"type", "ByteLevel"}, {"add_prefix_space", prefixed}}},
                        {"post_processor",
                         {{"type", "RobertaProcessing"},
                          {"cls", cls.value()},
                          {"sep", sep.value()},
                          {"trim_offsets", setting(files, "trim_offsets", true)},
                          {"add_prefix_space", prefixed}}},
                        {"decoder", {{"type", "ByteLevel"}}}};
    const auto added = addSpecialTokens(json, files, kRobertaSpecial, vocabulary);
    if (!added.isOk())
        return added.error();
    json["model"] = {{"type", "BPE"}};
    json["model"]["vocab"] = std::move(vocabulary);
    json["model"]["merges"] = std::move(merges);
    return tokenizerFromJson(json, (files.folder / "vocab.json").string(), cleansUp(files));
}

} // namespace headscope

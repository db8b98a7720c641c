#include "core/tokenize/familytokenizers.h"

#include "core/tokenize/spmpipeline.h"
#include "core/tokenize/tokenizerjson.h"
#include "core/tokenize/tokenizersettings.h"

namespace headscope {
namespace {

/// Two more pieces in front, which are not used.
SpmLayout camembertLayout()
{
    return {"sentencepiece.bpe.model",
            {{"<s>NOTUSED", 0}, {"<pad>", 0}, {"</s>NOTUSED", 0}, {"<unk>", 0}, {"<unk>NOTUSED", -100}},
            1,
            {"<mask>"},
            kRobertaSpecial};
}

Result<std::unique_ptr<Tokenizer>> open(const TokenizerFiles &files, const SpmLayout &layout)
{
    if (files.has("tokenizer.json"))
        return openTokenizerJson(files);
    auto pipeline = readSpmPipeline(files, layout);
    if (!pipeline.isOk())
        return pipeline.error();
    const auto cls = tokenWithId(files, kRobertaClassifier, pipeline.value().ids);
    const auto sep = tokenWithId(files, kRobertaSeparator, pipeline.value().ids);
    for (const auto *token : {&cls, &sep})
        if (!token->isOk())
            return token->error();
    nlohmann::json json = std::move(pipeline).value().json;
    json["post_processor"]
        = {{"type", "RobertaProcessing"}, {"cls", cls.value()}, {"sep", sep.value()}, {"trim_offsets", false}};
    return tokenizerFromJson(json, (files.folder / layout.file).string(), files);
}

} // namespace

Result<std::unique_ptr<Tokenizer>> openXlmRobertaTokenizer(const TokenizerFiles &files)
{
    return open(files, fairseqLayout(kRobertaSpecial, {"<mask>"}));
}

Result<std::unique_ptr<Tokenizer>> openCamembertTokenizer(const TokenizerFiles &files)
{
    return open(files, camembertLayout());
}

} // namespace headscope

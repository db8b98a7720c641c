// MBartForConditionalGeneration, mBART-50 too: BART with pre-norm and a norm after each stack.
#include "core/model/families/seq2seq.h"

namespace headscope {
namespace mbartfamily {

Result<TransformerSpec> makeSpec(const nlohmann::json &file, const nlohmann::json &generationConfig)
{
    const nlohmann::json config = withDefaults(file, {{"pad_token_id", 1}, {"bos_token_id", 0}, {"eos_token_id", 2}});
    ConfigReader keys(config);
    seq2seq::Traits mbart;
    mbart.family = "mbart";
    mbart.placement = NormPlacement::Pre;
    mbart.embeddingNorm = true;
    mbart.finalNorm = true;
    mbart.positions = {PositionTable::Learned, 2, false};
    return finishedSpec(seq2seq::makeSpec(config, generationConfig, mbart, keys), config, keys);
}

} // namespace mbartfamily

extern const Family kMBartFamily;
const Family kMBartFamily{"mbart", "mBART, mBART-50", mbartfamily::makeSpec, seq2seq::recipe, seq2seq::isIgnored};

} // namespace headscope

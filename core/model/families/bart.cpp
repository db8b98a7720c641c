// BartForConditionalGeneration: post-norm, learnt positions after two rows that nothing uses.
#include "core/model/families/seq2seq.h"

namespace headscope {
namespace bartfamily {

Result<TransformerSpec> makeSpec(const nlohmann::json &file, const nlohmann::json &generationConfig)
{
    const nlohmann::json config = withDefaults(
        file, {{"pad_token_id", 1}, {"bos_token_id", 0}, {"eos_token_id", 2}, {"decoder_start_token_id", 2}});
    ConfigReader keys(config);
    seq2seq::Traits bart;
    bart.family = "bart";
    bart.embeddingNorm = true;
    bart.classifies = true;
    bart.positions = {PositionTable::Learned, 2, false};
    return finishedSpec(seq2seq::makeSpec(config, generationConfig, bart, keys), config, keys);
}

} // namespace bartfamily

extern const Family kBartFamily;
const Family kBartFamily{"bart", "BART (to generate or to classify)", bartfamily::makeSpec, seq2seq::recipe,
                         seq2seq::isIgnored};

} // namespace headscope

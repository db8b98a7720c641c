// PegasusForConditionalGeneration: pre-norm, computed positions as Marian's.
#include "core/model/families/seq2seq.h"

namespace headscope {
namespace pegasusfamily {

Result<TransformerSpec> makeSpec(const nlohmann::json &file, const nlohmann::json &generationConfig)
{
    const nlohmann::json config = withDefaults(
        file, {{"pad_token_id", 0}, {"eos_token_id", 1}, {"decoder_start_token_id", 0}, {"forced_eos_token_id", 1}});
    ConfigReader keys(config);
    seq2seq::Traits pegasus;
    pegasus.family = "pegasus";
    pegasus.placement = NormPlacement::Pre;
    pegasus.finalNorm = true;
    pegasus.positions = {PositionTable::SinusoidalHalves, 0, false};
    return finishedSpec(seq2seq::makeSpec(config, generationConfig, pegasus, keys), config, keys);
}

} // namespace pegasusfamily

extern const Family kPegasusFamily;
const Family kPegasusFamily{"pegasus", "Pegasus", pegasusfamily::makeSpec, seq2seq::recipe, seq2seq::isIgnored};

} // namespace headscope

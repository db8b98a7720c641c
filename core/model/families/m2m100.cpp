// M2M100ForConditionalGeneration, which NLLB is too: pre-norm, computed positions that count real tokens.
#include "core/model/families/seq2seq.h"

namespace headscope {
namespace m2m100family {

Result<TransformerSpec> makeSpec(const nlohmann::json &file, const nlohmann::json &generationConfig)
{
    const nlohmann::json config = withDefaults(
        file, {{"pad_token_id", 1}, {"bos_token_id", 0}, {"eos_token_id", 2}, {"decoder_start_token_id", 2}});
    ConfigReader keys(config);
    seq2seq::Traits m2m;
    m2m.family = "m2m_100";
    m2m.placement = NormPlacement::Pre;
    m2m.finalNorm = true;
    m2m.outputBias = false;
    m2m.activation = "relu";
    m2m.scaleEmbedding = true;
    m2m.vocabulary = 128112;
    TransformerSpec spec = seq2seq::makeSpec(config, generationConfig, m2m, keys);
    spec.positions = {PositionTable::SinusoidalFairseq, spec.generation.padId + 1, true};
    if (spec.width < 4)
        keys.fail("\"d_model\" is " + std::to_string(spec.width) + "; the sinusoids of positions need at least 4.");
    return finishedSpec(std::move(spec), config, keys);
}

} // namespace m2m100family

extern const Family kM2M100Family;
const Family kM2M100Family{"m2m_100", "M2M-100, NLLB without experts", m2m100family::makeSpec, seq2seq::recipe,
                           seq2seq::isIgnored};

} // namespace headscope

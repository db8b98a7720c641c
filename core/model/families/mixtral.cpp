// MixtralForCausalLM: Mistral with experts.
#include "core/model/families/causal.h"

namespace headscope {
namespace mixtralfamily {

using namespace causalfamily;

Result<TransformerSpec> makeSpec(const nlohmann::json &file, const nlohmann::json &generationConfig)
{
    const nlohmann::json config
        = withDefaults(file, {{"bos_token_id", 1}, {"eos_token_id", 2}, {"sliding_window", nullptr}});
    ConfigReader keys(config);
    Draft draft = read(config, generationConfig,
                       {.family = "mixtral",
                        .keyHeads = 8,
                        .feedForward = 14336,
                        .positions = 1 << 17,
                        .epsilon = 1e-5,
                        .rotary = {.baseDefault = 1e6}},
                       keys);
    (void)readExperts(draft, {}, keys);
    if (const std::int64_t window = slidingWindow(0, keys); window > 0)
        draft.shape.attention.reach = reachOf(window, draft.spec.maxPositions);
    return finished(std::move(draft), config, keys);
}

TensorRecipe recipe(const std::string &slot, const TransformerSpec &)
{
    static constexpr NamePart kOfExpert[] = {{".feed_forward.expert.", ".block_sparse_moe.experts."},
                                             {".in.", ".w3."},
                                             {".gate.", ".w1."},
                                             {".out.", ".w2."}};
    static constexpr NamePart kParts[] = {{".feed_forward.router.", ".block_sparse_moe.gate."}};
    return expertOf(slot) ? llamaRecipe(slot, kOfExpert) : llamaRecipe(slot, kParts);
}

} // namespace mixtralfamily

extern const Family kMixtralFamily;
const Family kMixtralFamily{"mixtral", "Mixtral (to generate or to classify)", mixtralfamily::makeSpec,
                            mixtralfamily::recipe, causalfamily::isIgnored};

} // namespace headscope

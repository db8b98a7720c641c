#include "core/model/exportmasked.h"

#include "core/formats/atomicfile.h"
#include "core/io/checkpointwriter.h"
#include "core/model/modelfolder.h"
#include "core/tensor/guarded.h"

#include <torch/torch.h>

#include <algorithm>

namespace headscope {
namespace {

namespace fs = std::filesystem;

/// Sets the columns of masked heads to zero in a copy of an output projection [D, H·Dh].
torch::Tensor withoutHeads(const torch::Tensor &weight, const std::vector<int> &heads, HeadKind kind, int layer,
                           std::int64_t headWidth, const HeadMask &mask)
{
    auto copy = weight.clone();
    for (std::size_t i = 0; i < heads.size(); ++i) {
        if (mask.isMasked({kind, layer, heads[i]}))
            copy.narrow(1, static_cast<std::int64_t>(i) * headWidth, headWidth).zero_();
    }
    return copy;
}

std::map<std::string, torch::Tensor> changedTensors(const LoadedModel &model, const HeadMask &mask)
{
    std::map<std::string, torch::Tensor> changed;
    const TransformerSpec &spec = model.transformer->spec();
    for (const HeadLayout::Block &block : model.transformer->layout().blocks()) {
        const StackSpec &stack = block.kind == HeadKind::Encoder ? spec.encoder : *spec.decoder;
        for (int layer = 0; layer < static_cast<int>(block.layers.size()); ++layer) {
            const std::vector<int> &heads = block.layers[static_cast<std::size_t>(layer)];
            if (std::ranges::none_of(heads, [&](int h) { return mask.isMasked({block.kind, layer, h}); }))
                continue;
            const std::string &name = model.checkpointNames.at(Recorder::place(block.kind, layer, "out.weight"));
            changed[name] = withoutHeads(model.checkpoint->tensor(name).valueOrThrow(), heads, block.kind, layer,
                                         stack.headWidth, mask);
        }
    }
    return changed;
}

std::string headsJson(const HeadMask &mask)
{
    nlohmann::json removed = nlohmann::json::array();
    for (const HeadRef &head : mask)
        removed.push_back(toText(head));
    return nlohmann::json{{"removed_heads", removed},
                          {"form", "full shape, zero columns in the output projections"}}
               .dump(2)
           + "\n";
}

} // namespace

Result<Done> exportMasked(const LoadedModel &model, const fs::path &source, const HeadMask &mask,
                          const fs::path &target, const JobControl &control)
{
    return guarded([&]() -> Done {
        std::error_code error;
        if (fs::exists(target, error) && !fs::is_empty(target, error))
            throw Failure(badInput(target.string() + " is not empty. Choose a new folder for the pruned model."));
        fs::create_directories(target, error);
        if (error)
            throw Failure(resourceError("Cannot create the folder " + target.string() + ": " + error.message() + "."));
        const auto changed = changedTensors(model, mask);
        std::vector<std::pair<std::string, torch::Tensor>> tensors;
        for (const std::string &name : model.checkpoint->names()) {
            control.checkpoint();
            const auto found = changed.find(name);
            tensors.emplace_back(name, found != changed.end() ? found->second
                                                              : model.checkpoint->tensor(name).valueOrThrow());
        }
        (void)copyModelFiles(source, target).valueOrThrow();
        (void)writeSafetensors(target / "model.safetensors", tensors, {{"format", "pt"}}).valueOrThrow();
        (void)writeFileAtomically(target / "heads.json", headsJson(mask)).valueOrThrow();
        return {};
    });
}

} // namespace headscope

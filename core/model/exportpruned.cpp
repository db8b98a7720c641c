#include "core/model/exportpruned.h"

#include "core/formats/atomicfile.h"
#include "core/formats/jsonfile.h"
#include "core/formats/textlines.h"
#include "core/io/checkpointwriter.h"
#include "core/model/marianconfig.h"
#include "core/model/modelfolder.h"
#include "core/model/prunedheads.h"
#include "core/tensor/guarded.h"

#include <ATen/core/grad_mode.h>
#include <torch/types.h>

#include <algorithm>

namespace headscope {
namespace {

namespace fs = std::filesystem;

constexpr const char *kHeadsFile = "heads.json";

bool sharesProjections(const TransformerSpec &spec)
{
    return std::ranges::any_of(kBothSides, [&](Side side) {
        return spec.stack(side) && std::ranges::any_of(spec.stack(side)->subLayers, [](const SubLayer &sub) {
                   return sub.attention() && sub.attention()->sharesProjections();
               });
    });
}

/// Layers that share their weights can lose heads together only.
void checkSharedLayers(const TransformerSpec &left)
{
    if (left.sharedLayers == 1)
        return;
    const HeadLayout layout = left.layout();
    for (const HeadLayout::Block &block : layout.blocks()) {
        for (std::size_t layer = 0; layer < block.layers.size(); ++layer) {
            const std::size_t first = layer - layer % static_cast<std::size_t>(left.sharedLayers);
            if (block.layers[layer] != block.layers[first])
                throw Failure(usageError("Layers " + std::to_string(first) + " and " + std::to_string(layer)
                                         + " share their weights in this " + left.family
                                         + " model: what a file of it lacks in one it lacks in the other. Choose the "
                                           "same heads in all layers that share weights."));
        }
    }
}

/// The small form without the heads of `mask`: as specWithout(), but where transformers reads it no layer is empty.
TransformerSpec smallSpec(const LoadedModel &model, const HeadMask &mask)
{
    const TransformerSpec &spec = model.transformer->spec();
    TransformerSpec left = specWithout(spec, mask);
    if (model.family->prunedLoading == PrunedLoading::HeadscopeOnly || sharesProjections(left))
        return left;
    const HeadLayout layout = spec.layout();
    for (const HeadLayout::Block &block : layout.blocks()) {
        for (std::size_t layer = 0; layer < block.layers.size(); ++layer) {
            auto &heads = left.attention(block.kind, static_cast<int>(layer)).heads;
            if (heads.empty())
                heads.push_back(block.layers[layer].empty() ? 0 : block.layers[layer].front());
        }
    }
    return left;
}

/// The heads of zeros that the small form keeps: those of `removed` that are all that a layer has.
std::vector<HeadRef> neutralHeads(const LoadedModel &model, const HeadMask &mask, const HeadMask &removed)
{
    std::vector<HeadRef> neutral;
    if (model.family->prunedLoading == PrunedLoading::HeadscopeOnly)
        return neutral;
    const HeadLayout written = smallSpec(model, mask).layout();
    for (const HeadLayout::Block &block : written.blocks()) {
        for (std::size_t layer = 0; layer < block.layers.size(); ++layer) {
            if (block.layers[layer].size() != 1)
                continue;
            const HeadRef head{block.kind, static_cast<int>(layer), block.layers[layer].front()};
            if (removed.isMasked(head))
                neutral.push_back(head);
        }
    }
    return neutral;
}

/// The mask, and the heads that the model lacks.
HeadMask goneWith(const LoadedModel &model, const HeadMask &mask)
{
    HeadMask removed = mask;
    const HeadLayout whole = unprunedSpec(model.transformer->spec()).layout();
    for (const HeadRef &head : whole.heads()) {
        if (!model.transformer->layout().contains(head))
            removed.set(head, true);
    }
    return removed;
}

/// `removed`: all heads that are gone from the unpruned model.
std::string smallOpensIn(const LoadedModel &model, const HeadMask &mask, const HeadMask &removed)
{
    if (sharesProjections(specWithout(model.transformer->spec(), mask)))
        return "Headscope only: transformers does not support heads that share their projections";
    if (model.family->prunedLoading == PrunedLoading::HeadscopeOnly)
        return "Headscope only: transformers cannot load pruned models of this family";
    return neutralHeads(model, mask, removed).empty()
             ? "Headscope, and transformers before version 5 (pruned_heads)"
             : "Headscope, and transformers before version 5 (pruned_heads); layers without heads keep one, of zeros";
}

/// Whether the model_type is Headscope's own, for folders that fairseq or Marian wrote: no other program opens a
/// config.json with it.
bool hasOwnType(const LoadedModel &model)
{
    return model.family->modelType == "fairseq" || model.family->modelType == kMarianNmtType;
}

/// The attention at a place as the checkpoint has it, in the dtype of the file.
AttentionWeights storedAttention(const LoadedModel &model, const std::string &name)
{
    const auto tensor = [&](const std::string &slot) {
        return model.stored.contains(slot) ? model.tensor(slot).valueOrThrow() : torch::Tensor();
    };
    const auto linear = [&](const char *part) {
        return Linear{tensor(name + part + ".weight"), tensor(name + part + ".bias"), {}};
    };
    AttentionWeights weights{linear(".query"), linear(".key"),           linear(".value"),
                             linear(".out"),   tensor(name + ".mixing"), linear(".content")};
    weights.queryNorm = {tensor(name + ".query_norm.weight"), tensor(name + ".query_norm.bias")};
    weights.keyNorm = {tensor(name + ".key_norm.weight"), tensor(name + ".key_norm.bias")};
    weights.sinks = tensor(name + ".sinks");
    weights.distanceKey = linear(".distance_key");
    weights.distanceQuery = linear(".distance_query");
    return weights;
}

void store(const AttentionWeights &weights, const std::string &name, std::map<std::string, torch::Tensor> &slots)
{
    for (const auto &[part, linear] : {std::pair{".query", &weights.query},
                                       {".key", &weights.key},
                                       {".value", &weights.value},
                                       {".out", &weights.out},
                                       {".content", &weights.content},
                                       {".distance_key", &weights.distanceKey},
                                       {".distance_query", &weights.distanceQuery}}) {
        if (!linear->weight.defined())
            continue;
        slots[name + part + ".weight"] = linear->weight;
        if (linear->bias.defined())
            slots[name + part + ".bias"] = linear->bias;
    }
    for (const auto &[part, tensor] : {std::pair{".query_norm.weight", &weights.queryNorm.weight},
                                       {".query_norm.bias", &weights.queryNorm.bias},
                                       {".key_norm.weight", &weights.keyNorm.weight},
                                       {".key_norm.bias", &weights.keyNorm.bias},
                                       {".mixing", &weights.mixing},
                                       {".sinks", &weights.sinks}}) {
        if (tensor->defined())
            slots[name + part] = *tensor;
    }
}

/// The tensors that are not those of the checkpoint, by their names there.
std::map<std::string, torch::Tensor> changedTensors(const LoadedModel &model, const PrunedExport &what)
{
    const torch::NoGradGuard noGrad;
    std::map<std::string, torch::Tensor> changed; // by slot
    const TransformerSpec &spec = model.transformer->spec();
    const TransformerSpec whole = unprunedSpec(spec);
    const TransformerSpec left = specWithout(spec, what.mask);
    checkSharedLayers(left);
    const TransformerSpec written = what.form == ExportForm::Small ? smallSpec(model, what.mask) : whole;
    for (const HeadLayout::Block &block : model.transformer->layout().blocks()) {
        for (int layer = 0; layer < static_cast<int>(block.layers.size()); ++layer) {
            const AttentionSpec &own = spec.attention(block.kind, layer);
            const AttentionSpec &smaller = left.attention(block.kind, layer);
            const AttentionSpec &target = written.attention(block.kind, layer);
            if (own.heads == smaller.heads && own.heads == target.heads)
                continue;
            const auto mean = what.means.find(Recorder::place(block.kind, layer, "context"));
            const torch::Tensor means = mean == what.means.end() ? torch::Tensor() : mean->second.to(torch::kCPU);
            if (means.defined() && !own.biases.out)
                throw Failure(usageError("A " + spec.family
                                         + " model has no biases after its heads that could hold "
                                           "their mean outputs. Export without compensation."));
            const std::string name = Recorder::place(block.kind, layer, "");
            const std::string attention = name.substr(0, name.size() - 1);
            const AttentionWeights weights = storedAttention(model, attention);
            if (what.form == ExportForm::Full)
                store(inFullShape(silenceHeads(weights, own, smaller, means), own, target), attention, changed);
            else if (const AttentionWeights rest = removeHeads(weights, own, smaller, means);
                     smaller.heads == target.heads)
                store(rest, attention, changed);
            else
                store(inFullShape(rest, smaller, target), attention, changed);
        }
    }
    const StoredSlots slots
        = storedSlots(*model.family, written, [&](const std::string &n) { return model.checkpoint->contains(n); });
    return checkpointTensors(slots, changed);
}

/// All heads that are gone from the unpruned model: by `mask`, before, and, in full shape, those that an earlier
/// heads.json in the folder names.
HeadMask allRemoved(const LoadedModel &model, const fs::path &source, const HeadMask &mask)
{
    HeadMask removed = goneWith(model, mask);
    const HeadLayout whole = unprunedSpec(model.transformer->spec()).layout();
    std::error_code error;
    if (!fs::exists(source / kHeadsFile, error))
        return removed;
    const auto before = readJsonFile(source / kHeadsFile);
    if (!before.isOk() || !before.value().is_object() || !before.value().contains("removed_heads"))
        return removed; // another program's file
    for (const auto &text : before.value()["removed_heads"]) {
        const auto head = text.is_string() ? parseHeadRef(text.get<std::string>()) : Result<HeadRef>(Error{});
        if (head.isOk() && whole.contains(head.value()))
            removed.set(head.value(), true);
    }
    return removed;
}

std::string headsJson(const HeadMask &removed, const std::vector<HeadRef> &neutral, const PrunedExport &what,
                      const PrunedCard &card)
{
    const bool small = what.form == ExportForm::Small;
    const auto listOf = [](const auto &heads) {
        nlohmann::ordered_json list = nlohmann::ordered_json::array();
        for (const HeadRef &head : heads)
            list.push_back(toText(head));
        return list;
    };
    nlohmann::ordered_json json{{"removed_heads", listOf(removed)},
                                {"form", small ? "small, without the rows and columns of these heads"
                                               : "full shape, zero columns in the output projections"},
                                {"opens_in", small ? card.smallOpensIn : card.fullOpensIn}};
    if (small && !neutral.empty())
        json["heads_of_zeros"] = listOf(neutral); // among the removed ones
    if (!what.means.empty())
        json["compensation"]
            = "output biases contain the mean outputs of the heads removed last, over " + what.reference;
    if (!card.warnings.empty())
        json["warnings"] = card.warnings;
    return json.dump(2) + "\n";
}

Result<Done> writeConfig(const fs::path &source, const fs::path &target, const TransformerSpec &spec,
                         PrunedLoading loading)
{
    auto config = readOrderedConfig(source).valueOrThrow();
    return writeFileAtomically(target / "config.json",
                               withPrunedHeads(std::move(config), spec, loading).dump(2) + "\n");
}

} // namespace

PrunedCard prunedCard(const LoadedModel &model, const HeadMask &mask)
{
    const TransformerSpec left = specWithout(model.transformer->spec(), mask);
    PrunedCard card;
    card.heads = model.transformer->layout().size();
    card.headsLeft = left.layout().size();
    card.parameters = model.parameters;
    card.parametersLeft = parameterCount(smallSpec(model, mask));
    card.smallOpensIn = smallOpensIn(model, mask, goneWith(model, mask));
    card.fullOpensIn = "Headscope, and every program that opens the original model";
    if (sharesProjections(left) || hasOwnType(model))
        card.fullOpensIn = card.smallOpensIn;
    card.warnings = headWarnings(left.layout());
    return card;
}

Result<PrunedCard> exportPruned(const LoadedModel &model, const fs::path &source, const PrunedExport &what,
                                const fs::path &target, const JobControl &control)
{
    return guarded([&]() -> PrunedCard {
        const HeadMask removed = allRemoved(model, source, what.mask); // those that an earlier export removed, too
        PrunedCard card = prunedCard(model, what.mask);
        card.smallOpensIn = smallOpensIn(model, what.mask, removed);
        const fs::path folder = newModelFolder(target).valueOrThrow();
        const TransformerSpec &spec = model.transformer->spec();
        const TransformerSpec written
            = what.form == ExportForm::Small ? smallSpec(model, what.mask) : unprunedSpec(spec);
        const auto changed = changedTensors(model, what);
        const auto fill = [&](const fs::path &partial) -> Result<Done> {
            std::vector<std::pair<std::string, torch::Tensor>> tensors;
            for (const std::string &name : model.checkpoint->unpackedNames()) {
                control.checkpoint();
                const auto found = changed.find(name);
                tensors.emplace_back(name, found != changed.end() ? found->second
                                                                  : model.checkpoint->tensor(name).valueOrThrow());
            }
            (void)copyModelFiles(source, partial).valueOrThrow();
            const bool isUnpacked = model.checkpoint->unpackedNames() != model.checkpoint->names();
            if (written.layout() != spec.layout())
                (void)writeConfig(source, partial, written, model.family->prunedLoading).valueOrThrow();
            if (isUnpacked)
                (void)withoutQuantisation(partial).valueOrThrow();
            (void)writeSafetensors(partial / "model.safetensors", tensors, {{"format", "pt"}}).valueOrThrow();
            control.checkpoint();
            return writeFileAtomically(partial / kHeadsFile,
                                       headsJson(removed, neutralHeads(model, what.mask, removed), what, card));
        };
        (void)makeFolderAtomically(folder, fill).valueOrThrow();
        return card;
    });
}

} // namespace headscope

#include "core/model/loadmodel.h"

#include "core/base/phases.h"
#include "core/base/vectorunits.h"
#include "core/formats/folderfiles.h"
#include "core/formats/jsonfile.h"
#include "core/io/adapter.h"
#include "core/io/quantised.h"
#include "core/model/madeconfig.h"
#include "core/tensor/freememory.h"
#include "core/tensor/guarded.h"

#include <torch/types.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <set>
#include <tuple>
#include <utility>

namespace headscope {
namespace {

std::string listed(const std::vector<std::string> &names)
{
    constexpr std::size_t kShown = 3;
    std::string text;
    for (std::size_t i = 0; i < std::min(kShown, names.size()); ++i)
        text += (text.empty() ? "" : ", ") + names[i];
    return names.size() > kShown ? text + " and " + std::to_string(names.size() - kShown) + " more" : text;
}

/// `model.checkpoint` is opened where only the weights say what the model is.
Result<nlohmann::json> readConfig(const std::filesystem::path &folder, LoadedModel &model)
{
    std::error_code error;
    if (isSaidByWeights(folder)) {
        auto opened = Checkpoint::open(folder);
        if (!opened.isOk())
            return opened.error();
        model.checkpoint = std::make_shared<const Checkpoint>(std::move(opened).value());
        return configOfWeights(*model.checkpoint, folder);
    }
    if (!std::filesystem::is_directory(folder, error))
        return badInput(folder.string() + " is not a folder. Expected a model folder with config.json.");
    const auto file = folder / "config.json";
    if (!std::filesystem::exists(file, error))
        return badInput(folder.string()
                        + " has no config.json. Expected a model folder in Hugging Face's layout "
                          "(config.json, model.safetensors or pytorch_model.bin, tokenizer files), one of fairseq's "
                          "(model.pt, dict.LANGUAGE.txt) or one of Marian's (model.npz, decoder.yml, vocab.yml, "
                          "source.spm), or a model in GGUF.");
    return readJsonFile(file);
}

Result<nlohmann::json> readGenerationConfig(const std::filesystem::path &folder)
{
    const auto file = folder / "generation_config.json";
    std::error_code error;
    if (!std::filesystem::exists(file, error))
        return nlohmann::json();
    return readJsonFile(file);
}

/// The purpose of the head that the checkpoint lacks, all of it or a part; empty: it lacks none, or more than that.
std::string lackedHead(const TransformerSpec &spec, const StoredSlots &stored)
{
    std::string head;
    for (const WeightSlot &slot : weightSlots(spec)) {
        if (stored.contains(slot.name))
            continue;
        head = slot.name.starts_with("classifier.") ? "sequence classification"
             : slot.name.starts_with("masked_lm.")  ? "masked language modelling"
                                                    : "";
        if (head.empty())
            break;
    }
    return head;
}

/// Where every slot is in the checkpoint; all missing tensors are named at once.
Result<Done> locate(const TransformerSpec &spec, LoadedModel &model, const std::string &folder)
{
    std::vector<std::string> missing;
    model.stored = storedSlots(
        *model.family, spec, [&](const std::string &name) { return model.checkpoint->contains(name); }, &missing);
    for (const WeightSlot &slot : weightSlots(spec)) { // in the model's order: the first that is wrong says most
        const auto found = model.stored.find(slot.name);
        if (found == model.stored.end())
            continue;
        const StoredSlot &stored = found->second;
        const std::vector<std::int64_t> &shape = model.checkpoint->shape(stored.name);
        if (shape != stored.storedShape)
            return badInput(folder + ": tensor " + stored.name + " has shape " + shapeText(shape)
                            + ", but config.json asks for " + shapeText(stored.storedShape)
                            + ". Do config.json and the weights belong together (sizes, vocab_size, number of labels, "
                              "pruned_heads)?");
    }
    if (const std::string head = lackedHead(spec, model.stored); !head.empty()) {
        const std::string name = architectureOf(model.config);
        return badInput(folder + ": the checkpoint has no head for " + head + " (it lacks " + listed(missing)
                        + "; config.json calls it " + (name.empty() ? "nothing" : name)
                        + "). Open a model that was trained for this; of an encoder without a head, "
                          "\"architectures\" in config.json names the bare class.");
    }
    if (!missing.empty())
        return badInput(folder + ": the checkpoint lacks " + std::to_string(missing.size()) + " of the tensors that a "
                        + spec.family + " model needs: " + listed(missing)
                        + ". Is it the checkpoint of another architecture, or incomplete?");
    return Done{};
}

/// The first name of a slot's tensor that the checkpoint has; empty: none.
std::string nameInFile(const LoadedModel &model, const std::string &slot, const TransformerSpec &spec)
{
    for (const std::string &name : model.family->recipe(slot, spec).names) {
        if (model.checkpoint->contains(name))
            return name;
    }
    return {};
}

/// Whether the checkpoint has two tensors, with different numbers.
bool areApart(const Checkpoint &checkpoint, const std::string &one, const std::string &other)
{
    if (one.empty() || other.empty() || one == other || checkpoint.shape(one) != checkpoint.shape(other))
        return false;
    const auto first = checkpoint.tensor(one).valueOrThrow();
    const auto second = checkpoint.tensor(other).valueOrThrow();
    const bool apart = first.data_ptr() != second.data_ptr() && !torch::equal(first, second.to(first.scalar_type()));
    checkpoint.forgetPages(one);
    checkpoint.forgetPages(other);
    return apart;
}

/// Unties an output matrix that the file has besides the table that config.json says it is.
void separateOutput(const std::string &output, const std::string &table, bool &tied, LoadedModel &model)
{
    if (!tied || !areApart(*model.checkpoint, output, table))
        return;
    tied = false;
    if (!isOfVersion5(model.config))
        model.warnings.push_back(output + " differs from " + table
                                 + ", though config.json says that they are one (\"tie_word_embeddings\"). Both are "
                                   "used, as by transformers 5; versions before it use the second for both.");
}

/// Tables that the file has several of, with different numbers, are several, whatever config.json says: so transformers
/// 5 takes them, which saves untied models in this way.
void separateTables(TransformerSpec &spec, LoadedModel &model)
{
    TransformerSpec apart = spec;
    apart.sharedEmbedding = apart.tiedOutput = false;
    const std::string source = spec.encoder ? nameInFile(model, "encoder.embedding", apart) : std::string();
    const std::string target = spec.decoder ? nameInFile(model, "decoder.embedding", apart) : std::string();
    if (spec.isEncoderDecoder() && spec.sharedEmbedding && areApart(*model.checkpoint, source, target))
        spec.sharedEmbedding = false;
    if (spec.saysTokens())
        separateOutput(nameInFile(model, "output.weight", apart), target, spec.tiedOutput, model);
    else if (spec.maskedLm)
        separateOutput(nameInFile(model, "masked_lm.out.weight", apart), source, spec.maskedLm->tied, model);
}

void reportExtras(LoadedModel &model)
{
    std::set<std::string> used;
    for (const auto &[slot, stored] : model.stored)
        for (const std::string &name : model.checkpoint->filesOwn(stored.name))
            used.insert(name);
    std::vector<std::string> extras;
    for (const std::string &name : model.checkpoint->names()) {
        if (!used.contains(name) && !model.family->isIgnored(name))
            extras.push_back(name);
    }
    if (!extras.empty())
        model.warnings.push_back("The checkpoint has " + std::to_string(extras.size())
                                 + " tensors that the model does not use: " + listed(extras) + ".");
}

enum class Magnitude { Usual, Huge, NotFinite };

template<typename Bits>
HEADSCOPE_INLINE Bits largestOfLanes(const Bits *bits, std::int64_t count, Bits mask)
{
    constexpr std::int64_t kLanes = 64; // known in advance, or the loop over them is not made of vectors
    std::array<Bits, kLanes> largest{};
    std::int64_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
        for (std::int64_t lane = 0; lane < kLanes; ++lane)
            largest[lane] = std::max<Bits>(largest[lane], bits[i + lane] & mask);
    }
    for (; i < count; ++i)
        largest[0] = std::max<Bits>(largest[0], bits[i] & mask);
    return *std::ranges::max_element(largest);
}

/// The largest of `count` numbers of which only the bits of `mask` count.
HEADSCOPE_VECTOR std::uint16_t largestOf(const std::uint16_t *bits, std::int64_t count, std::uint16_t mask)
{
    return largestOfLanes(bits, count, mask);
}
HEADSCOPE_VECTOR std::uint32_t largestOf(const std::uint32_t *bits, std::int64_t count, std::uint32_t mask)
{
    return largestOfLanes(bits, count, mask);
}
HEADSCOPE_VECTOR std::uint64_t largestOf(const std::uint64_t *bits, std::int64_t count, std::uint64_t mask)
{
    return largestOfLanes(bits, count, mask);
}

/// Looks at the exponents themselves: what LibTorch could be asked (a sum, isfinite) first makes a copy, and the copies
/// of a large model leave holes in the heap of half its size. `huge`: the exponent from which on weights are.
template<typename Bits>
Magnitude magnitudeOf(const torch::Tensor &tensor, Bits exponent, Bits huge)
{
    const Bits largest = largestOf(static_cast<const Bits *>(tensor.data_ptr()), tensor.numel(), exponent);
    return largest == exponent ? Magnitude::NotFinite : largest >= huge ? Magnitude::Huge : Magnitude::Usual;
}

/// Precondition: contiguous, on the CPU. Huge are weights of 2^40 on: a few products of such overflow in f32.
Magnitude magnitudeOf(const torch::Tensor &tensor)
{
    switch (tensor.scalar_type()) {
    case torch::kFloat16:
        return magnitudeOf<std::uint16_t>(tensor, 0x7C00, 0x7C00);
    case torch::kBFloat16:
        return magnitudeOf<std::uint16_t>(tensor, 0x7F80, (127 + 40) << 7);
    case torch::kFloat32:
        return magnitudeOf<std::uint32_t>(tensor, 0x7F800000, (127U + 40U) << 23);
    default:
        return magnitudeOf<std::uint64_t>(tensor.to(torch::kFloat64), 0x7FF0000000000000,
                                          std::uint64_t{1023 + 40} << 52);
    }
}

/// The number type that every slot's tensor is held in.
using HeldTypes = std::map<std::string, torch::ScalarType>;

/// The number type of computation; with `keep`, of large matrices the file's type where that is narrower.
HeldTypes heldTypes(const LoadedModel &model, torch::ScalarType computed, bool keep)
{
    HeldTypes types;
    for (const auto &[slot, stored] : model.stored) {
        const auto ofFile = model.checkpoint->dtype(stored.name);
        const bool isNarrower
            = ofFile && c10::isFloatingType(*ofFile) && c10::elementSize(*ofFile) < c10::elementSize(computed);
        types[slot] = keep && isNarrower && isLargeMatrix({slot, stored.shape}) ? *ofFile : computed;
    }
    return types;
}

struct NeededMemory
{
    std::int64_t all = 0;   ///< of the weights as they are held
    std::int64_t ofOwn = 0; ///< without those that are used where the file has them
};

NeededMemory neededMemory(const LoadedModel &model, const HeldTypes &types)
{
    NeededMemory needed;
    for (const auto &[slot, stored] : model.stored) {
        const torch::ScalarType type = types.at(slot);
        auto bytes = static_cast<std::int64_t>(c10::elementSize(type));
        for (const std::int64_t size : stored.shape)
            bytes *= size;
        needed.all += bytes;
        const bool isMade = stored.transposed || stored.lessOne || stored.stretches > 1;
        if (isMade || !model.checkpoint->isView(stored.name) || model.checkpoint->dtype(stored.name) != type)
            needed.ofOwn += bytes;
    }
    return needed;
}

/// Widened as a whole where that takes at most `widenedAtMost`, or where memory is not the processor's.
HeldTypes chosenTypes(const LoadedModel &model, const torch::TensorOptions &options, std::int64_t widenedAtMost)
{
    const auto computed = c10::typeMetaToScalarType(options.dtype());
    HeldTypes types = heldTypes(model, computed, false);
    if (options.device().is_cpu() && neededMemory(model, types).ofOwn > widenedAtMost)
        types = heldTypes(model, computed, true);
    return types;
}

/// Says what opening takes before it is taken, and refuses what there is not.
Result<Done> announceMemory(LoadedModel &model, const HeldTypes &types, const torch::TensorOptions &options,
                            const std::string &folder, const JobControl &control)
{
    constexpr std::int64_t kGiB = std::int64_t{1} << 30;
    const auto [all, bytes] = neededMemory(model, types);
    model.memoryBytes = all;
    if (!options.device().is_cpu())
        return Done{};
    const auto inGiB = [](std::int64_t count) {
        const auto tenths
            = static_cast<std::int64_t>(std::llround(static_cast<double>(count) / static_cast<double>(kGiB) * 10));
        return std::to_string(tenths / 10) + '.' + std::to_string(tenths % 10) + " GiB";
    };
    const auto available = availableMemory();
    if (available && bytes > *available)
        return resourceError(
            folder + ": the weights take " + inGiB(bytes) + " of memory, and " + inGiB(*available)
            + " are available. Compute in bf16 (--dtype bf16), which takes half of what f32 does, or on a "
              "machine with more memory.");
    if (bytes >= kGiB)
        control.progress({{kPhaseReadingMuch, {inGiB(bytes)}}, "tensors", 0, std::ssize(model.stored)});
    return Done{};
}

Result<std::map<std::string, torch::Tensor>> readTensors(LoadedModel &model, const HeldTypes &types,
                                                         const torch::TensorOptions &options, const JobControl &control)
{
    std::map<std::string, torch::Tensor> tensors;
    std::set<std::tuple<std::string, std::int64_t, std::int64_t>> counted;
    std::vector<std::string> notFinite;
    std::vector<std::string> huge;
    constexpr std::size_t kLargeTensor = std::size_t{1} << 20;
    for (const auto &[slot, stored] : model.stored) {
        control.checkpoint();
        auto tensor = model.tensor(slot);
        if (!tensor.isOk())
            return tensor.error();
        if (!tensor.value().is_floating_point())
            return badInput("Tensor " + stored.name + " holds " + std::string(toString(tensor.value().scalar_type()))
                            + " values; expected f32, f16 or bf16.");
        if (counted.insert({stored.name, stored.first, stored.slice}).second) // layers may share theirs
            model.parameters += tensor.value().numel();
        const Magnitude magnitude = magnitudeOf(tensor.value());
        if (magnitude != Magnitude::Usual)
            (magnitude == Magnitude::Huge ? huge : notFinite).push_back(stored.name);
        tensors[slot] = tensor.value().to(options.dtype(types.at(slot)));
        if (tensor.value().nbytes() >= kLargeTensor) // else the whole file would be in memory beside the weights
            model.checkpoint->forgetPages(stored.name);
        control.progress({kPhaseReading, "tensors", std::ssize(tensors), std::ssize(model.stored)});
    }
    std::vector<std::string> doubtful = notFinite;
    doubtful.insert(doubtful.end(), huge.begin(), huge.end());
    if (!doubtful.empty())
        model.doubtful = listed(doubtful);
    if (!notFinite.empty())
        model.warnings.push_back("Weights that are not finite numbers (NaN or infinite) in: " + listed(notFinite)
                                 + ". Scores will be meaningless.");
    if (!huge.empty())
        model.warnings.push_back("Weights above 10^12 in: " + listed(huge)
                                 + ". What is computed with them may overflow; scores may be meaningless. Is the file "
                                   "damaged?");
    return tensors;
}

} // namespace

Result<torch::Tensor> LoadedModel::tensor(const std::string &slot) const
{
    const StoredSlot &where = stored.at(slot);
    auto tensor = where.slices > 0 ? checkpoint->slice(where.name, where.slice) : checkpoint->tensor(where.name);
    if (!tensor.isOk())
        return tensor;
    return slotTensor(tensor.value(), where);
}

Result<std::map<std::string, torch::Tensor>> LoadedModel::tensors() const
{
    std::map<std::string, torch::Tensor> all;
    for (const auto &[slot, where] : stored) {
        auto one = tensor(slot);
        if (!one.isOk())
            return one.error();
        all[slot] = std::move(one).value();
    }
    return all;
}

Result<LoadedModel> loadModel(const std::filesystem::path &folder, const torch::TensorOptions &options,
                              const JobControl &control, std::int64_t widenedAtMost)
{
    return guarded([&] {
        LoadedModel model;
        (void)requireFiles(folder).valueOrThrow();
        const auto base = folderOfModel(folder).valueOrThrow();
        if (base != folder)
            (void)requireFiles(base).valueOrThrow();
        model.config = readConfig(base, model).valueOrThrow();
        const auto generation = readGenerationConfig(base).valueOrThrow();
        (void)readQuantisation(base).valueOrThrow(); // what is refused says more than what would be missing
        model.family = findFamily(model.config, (base / "config.json").string()).valueOrThrow();
        TransformerSpec spec = model.family->makeSpec(model.config, generation).valueOrThrow();
        control.checkpoint();
        if (!model.checkpoint)
            model.checkpoint = std::make_shared<const Checkpoint>(Checkpoint::open(folder).valueOrThrow());
        model.warnings = model.checkpoint->warnings();
        separateTables(spec, model);
        (void)locate(spec, model, folder.string()).valueOrThrow();
        reportExtras(model);
        if (!spec.generation.refused.empty() && spec.translates())
            model.warnings.push_back("The folder's generation settings ask for what Headscope does not compute: "
                                     + listed(spec.generation.refused)
                                     + ". Analyses that generate are refused; importance and losses are computed.");
        for (const std::string &note : spec.generation.notes) {
            if (spec.translates())
                model.warnings.push_back("Generation settings: " + note + ".");
        }
        const HeldTypes types = chosenTypes(model, options, widenedAtMost);
        (void)announceMemory(model, types, options, folder.string(), control).valueOrThrow();
        const auto tensors = readTensors(model, types, options, control).valueOrThrow();
        model.checkpoint->forgetPages(); // all were looked at, and few of a vocabulary's rows will be used
        auto weights = TransformerWeights::assemble(spec, tensors, {}, options);
        weights.forgetPages = [checkpoint = model.checkpoint] { checkpoint->forgetPages(); };
        model.transformer = std::make_shared<const Transformer>(std::move(spec), std::move(weights));
        return model;
    });
}

} // namespace headscope

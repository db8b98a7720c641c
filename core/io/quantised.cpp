#include "core/io/quantised.h"

#include "core/formats/jsonfile.h"
#include "core/formats/tensorentry.h"
#include "core/io/blockstate.h"
#include "core/io/checkpoint.h"
#include "core/io/dequantise.h"
#include "core/io/unset.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <torch/types.h>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

namespace headscope {
namespace {

namespace fs = std::filesystem;

using Method = Quantisation::Method;
using Parts = std::vector<torch::Tensor>;

using Widening = std::function<Result<torch::Tensor>(const Parts &)>;

constexpr std::int64_t kWord = 32;
const std::string kState = ".quant_state.bitsandbytes__";
constexpr std::string_view kRowScales = ".SCB";

class SettingsReader
{
public:
    SettingsReader(fs::path file, const nlohmann::json &settings) : m_file(std::move(file)), m_settings(settings) { }

    nlohmann::json get(const char *key, const nlohmann::json &usual = {}) const
    {
        const auto found = m_settings.find(key);
        return found == m_settings.end() || found->is_null() ? usual : *found;
    }
    Error refused(const std::string &key, const nlohmann::json &value, const std::string &known) const
    {
        return badInput(fmt::format("{}: \"quantization_config\" has \"{}\": {}; Headscope reads {}. Open the model in "
                                    "f32, f16 or bf16 that it was made from.",
                                    m_file.string(), key, value.dump().substr(0, 100), known));
    }

private:
    fs::path m_file;
    const nlohmann::json &m_settings;
};

std::string lower(std::string text)
{
    std::ranges::transform(text, text.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
    return text;
}

Result<Done> readBits(const SettingsReader &settings, const std::vector<std::int64_t> &known, const std::string &listed,
                      Quantisation &to)
{
    const nlohmann::json bits = settings.get("bits", settings.get("w_bit"));
    if (!bits.is_number_integer() || std::ranges::find(known, bits.get<std::int64_t>()) == known.end())
        return settings.refused("bits", bits, listed);
    const nlohmann::json group = settings.get("group_size", settings.get("q_group_size", 128));
    if (!group.is_number_integer() || (group != -1 && (group < 1 || group > (1 << 24))))
        return settings.refused("group_size", group, "-1 or a positive number");
    to.bits = bits.get<std::int64_t>();
    to.groupSize = group.get<std::int64_t>();
    return Done{};
}

Result<Done> readGptq(const SettingsReader &settings, Quantisation &to)
{
    const nlohmann::json format = settings.get("checkpoint_format", settings.get("format", "gptq"));
    if (format != "gptq" && format != "gptq_v2")
        return settings.refused("checkpoint_format", format, "\"gptq\" and \"gptq_v2\"");
    for (const char *key : {"dynamic", "rotation", "adapter", "is_marlin_format"}) {
        if (const nlohmann::json value = settings.get(key); !isUnset(value))
            return settings.refused(key, value, "models without it");
    }
    to.method = Method::Gptq;
    to.zerosLessOne = format == "gptq";
    return readBits(settings, {2, 3, 4, 8}, "2, 3, 4 and 8 bits", to);
}

Result<Done> readAwq(const SettingsReader &settings, Quantisation &to)
{
    const nlohmann::json version = settings.get("version", settings.get("format", "gemm"));
    if (!version.is_string() || lower(version.get<std::string>()) != "gemm")
        return settings.refused("version", version, "\"gemm\"");
    if (const nlohmann::json zero = settings.get("zero_point", true); zero != true)
        return settings.refused("zero_point", zero, "models with zero points");
    to.method = Method::Awq;
    return readBits(settings, {4}, "4 bits", to);
}

Result<Done> readMethod(const SettingsReader &settings, Quantisation &to)
{
    const nlohmann::json method = settings.get("quant_method");
    if (method == "mxfp4") {
        to.method = Method::Mxfp4;
        return Done{};
    }
    if (method == "bitsandbytes" || settings.get("load_in_8bit") == true || settings.get("load_in_4bit") == true) {
        to.method = Method::BitsAndBytes; // what is packed how is beside the tensors
        return Done{};
    }
    if (method == "gptq")
        return readGptq(settings, to);
    if (method == "awq")
        return readAwq(settings, to);
    return settings.refused("quant_method", method, "gptq, awq, bitsandbytes and mxfp4");
}

} // namespace

Result<Quantisation> readQuantisation(const fs::path &folder)
{
    Quantisation quantisation;
    quantisation.config = folder / "config.json";
    std::error_code error;
    if (!fs::exists(quantisation.config, error))
        return quantisation;
    const auto config = readJsonFile(quantisation.config);
    if (!config.isOk())
        return config.error();
    if (!config.value().is_object())
        return quantisation;
    const nlohmann::json settings = config.value().value("quantization_config", nlohmann::json());
    if (settings.is_null()) {
        if (fs::exists(folder / "quantize_config.json", error))
            return badInput(
                fmt::format("{}: the weights are quantised (quantize_config.json), but config.json does not "
                            "say how. Put what that file says into config.json as \"quantization_config\", "
                            "with \"quant_method\": \"gptq\".",
                            folder.string()));
        return quantisation;
    }
    if (!settings.is_object())
        return badInput(fmt::format("{}: \"quantization_config\" is no JSON object.", quantisation.config.string()));
    quantisation.transposedBack = config.value().value("model_type", nlohmann::json()) == "gpt2";
    const auto read = readMethod(SettingsReader(quantisation.config, settings), quantisation);
    if (!read.isOk())
        return read.error();
    return quantisation;
}

namespace {

/// Finds packed modules in a checkpoint.
class Finder
{
public:
    Finder(const Quantisation &quantisation, const Checkpoint &checkpoint)
        : m_quantisation(quantisation), m_checkpoint(checkpoint)
    {
    }

    Result<PackedTensors> find()
    {
        findMxfp4();
        for (const std::string &name : m_checkpoint.names()) {
            const auto added = addModule(name);
            if (!added.isOk())
                return added.error();
        }
        if (m_found.empty() && (m_quantisation.method == Method::Gptq || m_quantisation.method == Method::Awq))
            return badInput(
                fmt::format("{} says that weights are packed ({}), but {} has none that are. Do they belong "
                            "together?",
                            m_quantisation.config.string(), name(), file()));
        return std::move(m_found);
    }

private:
    using Shape = std::vector<std::int64_t>;

    /// Stacks of matrices, "X_blocks" [E, rows, groups, 16] and "X_scales" [E, rows, groups].
    void findMxfp4()
    {
        constexpr std::string_view kBlocks = "_blocks";
        constexpr std::int64_t kBytesOfGroup = 16;
        for (const std::string &name : m_checkpoint.names()) {
            if (!name.ends_with(kBlocks))
                continue;
            const std::string packed = name.substr(0, name.size() - kBlocks.size());
            const std::string scales = packed + "_scales";
            const Shape &shape = m_checkpoint.shape(name);
            if (m_checkpoint.contains(packed) || shape.size() != 4 || shape[3] != kBytesOfGroup
                || !is(name, torch::kUInt8, shape) || !is(scales, torch::kUInt8, {shape[0], shape[1], shape[2]}))
                continue;
            m_found[packed]
                = {"MXFP4",
                   {shape[0], 2 * kBytesOfGroup * shape[2], shape[1]},
                   torch::kBFloat16,
                   {name, scales},
                   true,
                   [](const Parts &parts) -> Result<torch::Tensor> { return widenedMxfp4(parts[0], parts[1]); }};
        }
    }

    Result<Done> addModule(const std::string &name)
    {
        if (m_quantisation.method == Method::BitsAndBytes) {
            for (const char *type : {"nf4", "fp4"}) {
                if (const std::string state = kState + type; name.ends_with(state))
                    return addBlocks(name.substr(0, name.size() - state.size()), type);
            }
            return name.ends_with(kRowScales) ? addRows(name.substr(0, name.size() - kRowScales.size())) : Done{};
        }
        constexpr std::string_view kCodes = ".qweight";
        const bool isGptq = m_quantisation.method == Method::Gptq;
        if (!name.ends_with(kCodes) || (!isGptq && m_quantisation.method != Method::Awq))
            return Done{};
        const std::string module = name.substr(0, name.size() - kCodes.size());
        if (m_checkpoint.contains(module + ".weight"))
            return badInput(fmt::format("{}: {} has its weight twice, packed and not.", file(), module));
        return isGptq ? addGptq(module) : addAwq(module);
    }

    /// qweight [in·bits/32, out], qzeros [groups, out·bits/32], scales [groups, out], g_idx [in] or none.
    Result<Done> addGptq(const std::string &module)
    {
        const std::int64_t bits = m_quantisation.bits;
        const std::string codes = module + ".qweight", order = module + ".g_idx";
        const Shape &shape = m_checkpoint.shape(codes);
        if (!isMatrix(shape))
            return wrong(codes, "a matrix");
        const std::int64_t in = shape[0] * kWord / bits, out = shape[1], groups = groupsOf(in);
        if (shape[0] * kWord % bits != 0 || out * bits % kWord != 0)
            return wrong(codes, fmt::format("sizes that {} bits allow", bits));
        const auto checked = checkParts(module, shape, {groups, out * bits / kWord}, {groups, out});
        if (!checked.isOk())
            return checked;
        std::vector<std::string> parts = partsOf(module);
        if (m_checkpoint.contains(order)) {
            if (!is(order, torch::kInt32, {in}))
                return wrong(order, fmt::format("int32 {}", shapeText({in})));
            parts.push_back(order);
        }
        add(module, in, out, std::move(parts),
            [where = fmt::format("{}: tensor \"{}\"", file(), order), quantisation = m_quantisation, in,
             groups](const Parts &tensors) -> Result<torch::Tensor> {
                const auto ofColumns = tensors.size() > 3 ? readGroups(tensors[3], groups, where)
                                                          : Result(consecutive(in, quantisation.groupSize));
                if (!ofColumns.isOk())
                    return ofColumns.error();
                torch::Tensor zeros = unpackedWords(tensors[1], quantisation.bits).to(torch::kInt16);
                if (quantisation.zerosLessOne)
                    zeros += 1;
                return scaledCodes(unpackedWords(tensors[0].t().contiguous(), quantisation.bits), zeros, tensors[2],
                                   ofColumns.value());
            });
        return Done{};
    }

    /// qweight [in, out/8], qzeros [groups, out/8], scales [groups, out].
    Result<Done> addAwq(const std::string &module)
    {
        constexpr std::int64_t kInWord = 8;
        const Shape &shape = m_checkpoint.shape(module + ".qweight");
        if (!isMatrix(shape))
            return wrong(module + ".qweight", "a matrix");
        const std::int64_t in = shape[0], out = shape[1] * kInWord, groups = groupsOf(in);
        const auto checked = checkParts(module, shape, {groups, shape[1]}, {groups, out});
        if (!checked.isOk())
            return checked;
        add(module, in, out, partsOf(module),
            [in, size = m_quantisation.groupSize](const Parts &tensors) -> Result<torch::Tensor> {
                return scaledCodes(unpackedAwq(tensors[0]).t().contiguous(), unpackedAwq(tensors[1]), tensors[2],
                                   consecutive(in, size));
            });
        return Done{};
    }

    static std::vector<std::string> partsOf(const std::string &module)
    {
        return {module + ".qweight", module + ".qzeros", module + ".scales"};
    }

    Result<Done> checkParts(const std::string &module, const Shape &codes, const Shape &zeros,
                            const Shape &scales) const
    {
        const std::vector<std::string> names = partsOf(module);
        if (!is(names[0], torch::kInt32, codes))
            return wrong(names[0], "int32");
        if (!is(names[1], torch::kInt32, zeros))
            return wrong(names[1], "int32 " + shapeText(zeros));
        const auto type = m_checkpoint.contains(names[2]) ? m_checkpoint.dtype(names[2]) : std::nullopt;
        if (!type || !c10::isFloatingType(*type) || !is(names[2], *type, scales))
            return wrong(names[2], "f16, bf16 or f32 " + shapeText(scales));
        return Done{};
    }

    void add(const std::string &module, std::int64_t in, std::int64_t out, std::vector<std::string> parts,
             Widening widened)
    {
        const torch::ScalarType type = *m_checkpoint.dtype(parts[2]);
        add(module + ".weight", {fmt::format("{}, {} bits in groups of {}", name(), m_quantisation.bits,
                                             m_quantisation.groupSize > 0 ? m_quantisation.groupSize : in),
                                 {out, in},
                                 type,
                                 std::move(parts),
                                 false,
                                 std::move(widened)});
    }

    void add(const std::string &name, PackedTensor tensor)
    {
        if (m_quantisation.transposedBack && tensor.shape.size() == 2 && name != "lm_head.weight") {
            std::swap(tensor.shape[0], tensor.shape[1]);
            tensor.widened = [widened = std::move(tensor.widened)](const Parts &parts) {
                auto made = widened(parts);
                return made.isOk() ? Result(made.value().t().contiguous()) : made;
            };
        }
        m_found[name] = std::move(tensor);
    }

    /// bitsandbytes, 8 bits: X.weight int8 [out, in] and X.SCB float32 [out], the largest of each row.
    Result<Done> addRows(const std::string &module)
    {
        const std::string weight = module + ".weight", scales = module + std::string(kRowScales);
        if (!m_checkpoint.contains(weight))
            return wrong(weight, "int8");
        const Shape &shape = m_checkpoint.shape(weight);
        if (!isMatrix(shape) || !is(weight, torch::kInt8, shape))
            return wrong(weight, "a matrix of int8");
        if (!is(scales, torch::kFloat32, {shape[0]}))
            return wrong(scales, "f32 " + shapeText({shape[0]}));
        std::vector<std::string> parts{weight, scales};
        if (const std::string order = module + ".weight_format"; m_checkpoint.contains(order)) {
            const auto format = m_checkpoint.tensor(order);
            if (!format.isOk() || format.value().numel() != 1 || format.value().item<double>() != 0)
                return wrong(order, "0, rows one after the other");
            parts.push_back(order);
        }
        add(weight, {"bitsandbytes, 8 bits with a scale for each row", shape, torch::kFloat32, std::move(parts), false,
                     [](const Parts &tensors) -> Result<torch::Tensor> {
                         constexpr double kOneOf127 = 7.874015718698502e-3;
                         return tensors[0].to(torch::kFloat32) * tensors[1].view({-1, 1}) * kOneOf127;
                     }});
        return Done{};
    }

    /// bitsandbytes, 4 bits: numbers of X.quant_map in the order of X, two a byte, times X.absmax of their block, which
    /// may itself be in 8 bits.
    Result<Done> addBlocks(const std::string &name, const std::string &type)
    {
        const std::string state = name + kState + type;
        const auto read = readState(state);
        if (!read.isOk())
            return read.error();
        const BlockState &blocks = read.value();
        const std::int64_t count = (blocks.count - 1) / blocks.size + 1;
        const std::int64_t bytes = (blocks.count - 1) / 2 + 1;
        if (!m_checkpoint.contains(name) || bytesOf(name) != bytes)
            return wrong(name, fmt::format("{} bytes", bytes));
        std::vector<std::string> parts{name, name + ".quant_map", name + ".absmax"};
        if (!is(parts[1], torch::kFloat32, {16}))
            return wrong(parts[1], "f32 [16]");
        if (!is(parts[2], blocks.nested > 0 ? torch::kUInt8 : torch::kFloat32, {count}))
            return wrong(parts[2], (blocks.nested > 0 ? "u8 " : "f32 ") + shapeText({count}));
        if (blocks.nested > 0) {
            parts.insert(parts.end(), {name + ".nested_quant_map", name + ".nested_absmax"});
            const std::int64_t outer = (count - 1) / blocks.nested + 1;
            if (!is(parts[3], torch::kFloat32, {256}))
                return wrong(parts[3], "f32 [256]");
            if (!is(parts[4], torch::kFloat32, {outer}))
                return wrong(parts[4], "f32 " + shapeText({outer}));
        }
        PackedTensor packed{fmt::format("bitsandbytes, {} in blocks of {}{}", type, blocks.size,
                                        blocks.nested > 0 ? " with scales in 8 bits" : ""),
                            blocks.shape,
                            blocks.type,
                            parts,
                            false,
                            [blocks](const Parts &tensors) { return Result(widenedBlocks(blocks, tensors)); }};
        packed.parts.push_back(state);
        add(name, std::move(packed));
        return Done{};
    }

    Result<BlockState> readState(const std::string &name) const
    {
        const auto bytes = m_checkpoint.tensor(name);
        if (!bytes.isOk())
            return bytes.error();
        if (bytes.value().scalar_type() != torch::kUInt8)
            return wrong(name, "u8 with a text in JSON");
        const auto *text = reinterpret_cast<const char *>(bytes.value().data_ptr<std::uint8_t>());
        return parseBlockState({text, static_cast<std::size_t>(bytes.value().numel())},
                               fmt::format("{}: tensor \"{}\"", file(), name));
    }

    std::int64_t bytesOf(const std::string &name) const
    {
        const auto type = m_checkpoint.dtype(name);
        std::int64_t bytes = type ? static_cast<std::int64_t>(c10::elementSize(*type)) : 0;
        for (const std::int64_t size : m_checkpoint.shape(name))
            bytes = size > (std::int64_t{1} << 40) ? 0 : bytes * size;
        return bytes;
    }

    /// A matrix of a size with which one can compute.
    static bool isMatrix(const Shape &shape)
    {
        constexpr std::int64_t kLargest = std::int64_t{1} << 30;
        return shape.size() == 2
            && std::ranges::all_of(shape, [](std::int64_t size) { return size > 0 && size < kLargest; });
    }

    std::int64_t groupsOf(std::int64_t in) const
    {
        const std::int64_t size = m_quantisation.groupSize > 0 ? m_quantisation.groupSize : in;
        return (in + size - 1) / size;
    }

    static std::vector<std::int64_t> consecutive(std::int64_t in, std::int64_t size)
    {
        std::vector<std::int64_t> groups(static_cast<std::size_t>(in));
        for (std::int64_t i = 0; i < in; ++i)
            groups[static_cast<std::size_t>(i)] = size > 0 ? i / size : 0;
        return groups;
    }

    static Result<std::vector<std::int64_t>> readGroups(const torch::Tensor &order, std::int64_t groups,
                                                        const std::string &where)
    {
        const auto *of = order.data_ptr<std::int32_t>();
        std::vector<std::int64_t> read(of, of + order.numel());
        const auto bad = std::ranges::find_if(read, [&](std::int64_t group) { return group < 0 || group >= groups; });
        if (bad != read.end())
            return badInput(fmt::format("{} names the group {} of {}. Is the file damaged?", where, *bad, groups));
        return read;
    }

    bool is(const std::string &name, torch::ScalarType type, const Shape &shape) const
    {
        return m_checkpoint.contains(name) && m_checkpoint.dtype(name) == type && m_checkpoint.shape(name) == shape;
    }

    const char *name() const { return m_quantisation.method == Method::Gptq ? "GPTQ" : "AWQ"; }
    std::string file() const { return m_checkpoint.files().front().string(); }

    Error wrong(const std::string &name, const std::string &expected) const
    {
        const std::string is = m_checkpoint.contains(name) ? "is " + shapeText(m_checkpoint.shape(name)) : "is missing";
        return badInput(
            fmt::format("{}: tensor \"{}\" {}, expected {}. Do the weights and \"quantization_config\" of {} "
                        "belong together (bits, group_size)?",
                        file(), name, is, expected, m_quantisation.config.string()));
    }

    const Quantisation &m_quantisation;
    const Checkpoint &m_checkpoint;
    PackedTensors m_found;
};

} // namespace

Result<PackedTensors> packedTensors(const Quantisation &quantisation, const Checkpoint &checkpoint)
{
    return Finder(quantisation, checkpoint).find();
}

std::string formatsOf(const PackedTensors &packed)
{
    std::map<std::string, int> counts;
    for (const auto &[name, tensor] : packed) {
        if (!tensor.format.empty())
            ++counts[tensor.format];
    }
    std::string text;
    for (const auto &[format, count] : counts)
        text
            += fmt::format("{}{} {} of {}", text.empty() ? "" : "; ", count, count == 1 ? "tensor" : "tensors", format);
    return text;
}

} // namespace headscope

#include "core/io/blockstate.h"

#include "core/formats/jsonfile.h"
#include "core/io/dequantise.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <torch/types.h>

#include <map>

namespace headscope {
namespace {

/// 0: there is none.
std::int64_t sizeIn(const nlohmann::json &state, const char *key)
{
    const nlohmann::json value = state.value(key, nlohmann::json());
    return value.is_number_integer() && value > 0 && value < (1 << 24) ? value.get<std::int64_t>() : 0;
}

Result<Done> readShape(const nlohmann::json &shape, const std::string &name, BlockState &to)
{
    constexpr std::int64_t kMost = std::int64_t{1} << 40;
    bool isShape = shape.is_array() && !shape.empty();
    for (std::size_t i = 0; isShape && i < shape.size(); ++i) {
        isShape = shape[i].is_number_integer() && shape[i] > 0 && shape[i] < kMost / to.count;
        if (isShape) {
            to.shape.push_back(shape[i].get<std::int64_t>());
            to.count *= to.shape.back();
        }
    }
    if (!isShape)
        return badInput(
            fmt::format("{} has the \"shape\" {}. Is the file damaged?", name, shape.dump().substr(0, 100)));
    return Done{};
}

} // namespace

Result<BlockState> parseBlockState(std::string_view text, const std::string &name)
{
    static const std::map<nlohmann::json, torch::ScalarType> kTypes{
        {"float16", torch::kFloat16}, {"bfloat16", torch::kBFloat16}, {"float32", torch::kFloat32}};
    const auto json = parseJson(text, name);
    if (!json.isOk())
        return json.error();
    const nlohmann::json &keys = json.value();
    if (!keys.is_object())
        return badInput(name + " holds no JSON object. Is the file damaged?");
    BlockState state;
    state.size = sizeIn(keys, "blocksize");
    const auto shape = readShape(keys.value("shape", nlohmann::json()), name, state);
    if (!shape.isOk())
        return shape.error();
    const auto type = kTypes.find(keys.value("dtype", nlohmann::json()));
    if (state.size == 0 || type == kTypes.end())
        return badInput(name + " lacks \"blocksize\", or has another \"dtype\" than float16, bfloat16 and float32.");
    state.type = type->second;
    if (!keys.contains("nested_blocksize"))
        return state;
    const nlohmann::json offset = keys.value("nested_offset", nlohmann::json());
    state.nested = sizeIn(keys, "nested_blocksize");
    if (state.nested == 0 || !offset.is_number())
        return badInput(name + " has a \"nested_blocksize\" or \"nested_offset\" that is no such number.");
    state.offset = offset.get<double>();
    return state;
}

torch::Tensor widenedBlocks(const BlockState &state, const std::vector<torch::Tensor> &parts)
{
    torch::Tensor largest = parts[2];
    if (state.nested > 0)
        largest = scaledBlocks(largest, parts[3], parts[4], state.nested) + static_cast<float>(state.offset);
    const torch::Tensor codes = halves(parts[0].view({-1}).view(torch::kUInt8));
    return scaledBlocks(codes.narrow(0, 0, state.count), parts[1], largest, state.size)
        .view(state.shape)
        .to(state.type);
}

} // namespace headscope

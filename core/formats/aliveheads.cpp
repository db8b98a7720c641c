#include "core/formats/aliveheads.h"

#include "core/formats/jsonfile.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <string>
#include <vector>

namespace headscope {
namespace {

/// In the order of HeadKind.
constexpr std::array<const char *, 3> kNames{"enc-self", "dec-enc", "dec-self"};

const char *nameOf(HeadKind kind)
{
    return kNames[static_cast<std::size_t>(kind)];
}

/// Heads of the widest layer, as far as they are known.
int widthOf(const HeadLayout::Block &block)
{
    int width = 0;
    for (const std::vector<int> &heads : block.layers)
        width = std::max(width, heads.empty() ? 0 : heads.back() + 1);
    return width;
}

/// Adds the closed heads of a layer.
void readRow(const nlohmann::json &row, const std::string &where, const std::vector<int> &heads, HeadRef place,
             HeadMask &closed)
{
    const auto isSwitch
        = [](const nlohmann::json &number) { return number.is_number() && (number == 0 || number == 1); };
    if (!row.is_array() || !std::ranges::all_of(row, isSwitch))
        throw Failure(badInput(where + " is not a list of 0 and 1."));
    if (!heads.empty() && std::ssize(row) <= heads.back())
        throw Failure(
            badInput(fmt::format("{} has {} numbers; the layer has a head {}.", where, row.size(), heads.back())));
    for (place.head = 0; place.head < std::ssize(row); ++place.head) {
        const bool open = row[static_cast<std::size_t>(place.head)] == 1;
        const bool isThere = std::ranges::binary_search(heads, place.head);
        if (open && !isThere)
            throw Failure(badInput(fmt::format("{}: the model has no head {}.", where, toText(place))));
        if (!open && isThere)
            closed.set(place, true);
    }
}

HeadMask closedHeads(const nlohmann::json &json, const std::string &file, const HeadLayout &layout)
{
    if (!json.is_object())
        throw Failure(badInput(file + " is not a JSON object of matrices."));
    HeadMask closed;
    for (const auto &[name, matrix] : json.items()) {
        const auto found = std::ranges::find(kNames, name, [](const char *known) { return std::string(known); });
        if (found == kNames.end())
            throw Failure(
                badInput(fmt::format("{}: \"{}\" is not known; there are {}.", file, name, fmt::join(kNames, ", "))));
        const auto kind = static_cast<HeadKind>(found - kNames.begin());
        const HeadLayout::Block *block = layout.block(kind);
        if (!block)
            throw Failure(
                badInput(fmt::format("{}: the model has no {} attention (\"{}\").", file, headKindName(kind), name)));
        if (!matrix.is_array() || matrix.size() != block->layers.size())
            throw Failure(badInput(
                fmt::format("{}: \"{}\" needs {} rows, one for each layer.", file, name, block->layers.size())));
        for (std::size_t layer = 0; layer < matrix.size(); ++layer)
            readRow(matrix[layer], fmt::format("{}: layer {} of \"{}\"", file, layer, name), block->layers[layer],
                    {kind, static_cast<int>(layer), 0}, closed);
    }
    return closed;
}

} // namespace

nlohmann::ordered_json aliveHeads(const HeadMask &closed, const HeadLayout &layout)
{
    auto json = nlohmann::ordered_json::object();
    for (const HeadLayout::Block &block : layout.blocks()) {
        auto &matrix = json[nameOf(block.kind)] = nlohmann::ordered_json::array();
        for (std::size_t layer = 0; layer < block.layers.size(); ++layer) {
            std::vector<int> row(static_cast<std::size_t>(widthOf(block)), 0);
            for (const int head : block.layers[layer])
                row[static_cast<std::size_t>(head)]
                    = closed.isMasked({block.kind, static_cast<int>(layer), head}) ? 0 : 1;
            matrix.push_back(row);
        }
    }
    return json;
}

Result<HeadMask> readAliveHeads(const std::filesystem::path &file, const HeadLayout &layout)
{
    const auto json = readJsonFile(file);
    if (!json.isOk())
        return json.error();
    const bool isInside = json.value().is_object() && json.value().contains("alive_heads");
    try {
        return closedHeads(isInside ? json.value()["alive_heads"] : json.value(), file.string(), layout);
    } catch (const Failure &failure) {
        return failure.error();
    }
}

} // namespace headscope

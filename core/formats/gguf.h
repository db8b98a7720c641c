#pragma once

#include "core/base/result.h"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

inline constexpr std::string_view kGgufEnding = ".gguf";

/// Number types of GGUF's tensors that are read, by their numbers in a file.
enum class GgufType : std::uint32_t {
    F32 = 0,
    F16 = 1,
    Q4_0 = 2,
    Q4_1 = 3,
    Q5_0 = 6,
    Q5_1 = 7,
    Q8_0 = 8,
    Q2_K = 10,
    Q3_K = 11,
    Q4_K = 12,
    Q5_K = 13,
    Q6_K = 14,
    BF16 = 30,
};

/// How many numbers lie together in how many bytes.
struct GgufBlock
{
    GgufType type{};
    std::string_view name;
    std::int64_t numbers = 1;
    std::int64_t bytes = 0;
};
const GgufBlock &blockOf(GgufType type);

struct GgufTensor
{
    std::string name;
    std::vector<std::int64_t> shape; ///< rows first: the reverse of the file's
    GgufType type{};
    std::uint64_t offset = 0; ///< from the start of the file
    std::uint64_t bytes = 0;
};

/// The beginning of a GGUF file (versions 2 and 3, little-endian): what it says of a model, and where its tensors are.
struct GgufFile
{
    nlohmann::json metadata = nlohmann::json::object(); ///< numbers, texts and lists of them, by key
    std::vector<GgufTensor> tensors;

    const GgufTensor *find(std::string_view name) const;
    /// The metadata's value of a key; null: there is none.
    const nlohmann::json &value(const std::string &key) const;
};

/// Source: docs/gguf.md of ggml. Every count and range is checked against the file before anything is allocated. Errors
/// call the file `name`: damaged, of another version, number types that are not read (by name), a part of several
/// files.
Result<GgufFile> parseGguf(std::span<const std::byte> file, const std::string &name);
Result<GgufFile> readGguf(const std::filesystem::path &path);

/// The file of a model that is one: `model` itself, or the only .gguf in a folder that has no other weights. Nothing:
/// the model is no such one. Errors: several.
Result<std::optional<std::filesystem::path>> ggufOf(const std::filesystem::path &model);

} // namespace headscope

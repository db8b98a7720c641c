#pragma once

#include "core/base/result.h"
#include "core/formats/tensorentry.h"

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace headscope {

struct SafetensorsHeader
{
    std::vector<TensorEntry> tensors; ///< in the order of their data
    std::map<std::string, std::string> metadata;
};

/// Checks a whole safetensors file as strictly as the reference reader, and refuses duplicate names as well. `file` is
/// all of the file; Errors call the file `name`, and end with the reference reader's error name in brackets, e.g.
/// "[InvalidOffset]".
Result<SafetensorsHeader> parseSafetensors(std::span<const std::byte> file, const std::string &name);

/// The beginning of a file with these tensors, and in which order their data follow without gaps: wide element
/// types first, then by name, so that all data are aligned. Only name, dtype and shape of entries are read.
struct SafetensorsLayout
{
    std::string header; ///< length, JSON, padding to a multiple of eight
    std::vector<std::size_t> order;
};
SafetensorsLayout layoutSafetensors(const std::vector<TensorEntry> &tensors,
                                    const std::map<std::string, std::string> &metadata);

} // namespace headscope

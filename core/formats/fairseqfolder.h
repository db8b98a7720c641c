#pragma once

#include "core/base/result.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

/// Folders of fairseq's models as they are published: a checkpoint (model.pt), a dictionary for each language
/// (dict.en.txt), and the codes that words were cut with.
namespace headscope {

/// Whether there are dictionaries and a checkpoint, and no config.json.
bool isFairseqFolder(const std::filesystem::path &folder);

/// The checkpoint: model.pt, checkpoint_best.pt, or the only one. Errors: several, none.
Result<std::filesystem::path> fairseqCheckpoint(const std::filesystem::path &folder);

/// dict.LANGUAGE.txt
std::string fairseqDictionary(const std::string &language);
/// Names of all dictionaries of a folder, ascending.
std::vector<std::string> fairseqDictionaries(const std::filesystem::path &folder);
/// Name of the file with the codes of byte pair encoding; nothing: texts come cut into pieces.
std::optional<std::string> fairseqCodes(const std::filesystem::path &folder);

} // namespace headscope

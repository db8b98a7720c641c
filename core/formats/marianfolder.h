#pragma once

#include "core/base/result.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Folders of models as Marian trains them and OPUS-MT publishes them: a checkpoint (.npz), decoder.yml
/// with what it is translated with, vocabularies (vocab.yml, or SentencePiece models vocab.spm), and source.spm and
/// target.spm where words were cut into pieces before.
namespace headscope {

/// Whether there is a checkpoint, and no config.json.
bool isMarianFolder(const std::filesystem::path &folder);

/// The checkpoint: the one that decoder.yml names, model.npz, or the only one. Errors: several, several in an ensemble,
/// a damaged decoder.yml.
Result<std::filesystem::path> marianCheckpoint(const std::filesystem::path &folder);

/// decoder.yml, or CHECKPOINT.decoder.yml; an empty object where there is none.
Result<nlohmann::json> marianDecoder(const std::filesystem::path &folder);

/// Names of the vocabularies of source and target, which may be the same file: from `decoder` or `model` (what the
/// checkpoint says of itself), where these are in the folder, or else the files whose names say so. Empty: there are
/// none. Errors: factored vocabularies, which are not read; several files that could be meant.
Result<std::vector<std::string>> marianVocabularies(const std::filesystem::path &folder, const nlohmann::json &decoder,
                                                    const nlohmann::json &model);

/// Ids by piece, of a vocabulary as YAML or JSON (ids by piece), or as text (a piece on every line). Errors: ids that
/// are no whole numbers from 0 on.
Result<std::map<std::string, std::int64_t>> readMarianVocabulary(const std::filesystem::path &file);

/// The id of a token in such a vocabulary; old ones (of Nematus) have it by another name or leave its place free.
std::optional<std::int64_t> marianTokenId(const std::map<std::string, std::int64_t> &vocabulary,
                                          std::string_view token);

/// Names of files with which an export of a Marian model keeps its tokenizer: of those that `vocabularies` names and of
/// SentencePiece models.
std::vector<std::string> marianFiles(const std::filesystem::path &folder);

} // namespace headscope

#pragma once

#include "core/results/json.h"
#include "core/session/session.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

/// What travels between a window and the core on another machine, as JSON (PROTOCOL.md). Results are as in files. The functions
/// that read throw as jsonread.h says.
namespace headscope::wire {

using nlohmann::json;

inline constexpr int kProtocol = 1;

/// A value, and numbers that would be too many for JSON.
struct WithFloats
{
    json value{};
    std::string floats{}; ///< 32-bit, little-endian
};

json toWire(const ModelOptions &options); ///< without the host
ModelOptions modelOptions(const json &object);

json toWire(const ModelCard &card);
ModelCard modelCard(const json &object);

json toWire(const DataSource &source);
DataSource dataSource(const json &object);
json toWire(const DataCard &card);
DataCard dataCard(const json &object);
json toWire(const DataPreview &preview);
DataPreview dataPreview(const json &object);
json toWire(const DataRow &row);
DataRow dataRow(const json &object);
json toWire(const SentenceTree &tree);
SentenceTree sentenceTree(const json &list);

json toWire(Domain domain);
Domain domain(const json &name);

/// {"analysis": "ablate", "options": {…}}: options as the command line calls them, and only those that are not as usual.
json toWire(const AnySpec &spec);
AnySpec anySpec(const json &object);
json toWire(const RunOptions &run);
RunOptions runOptions(const json &object);

json toWire(const FolderListing &listing);
FolderListing folderListing(const json &object);

json toWire(const PrunedCard &card);
PrunedCard prunedCard(const json &object);
json toWire(const ExportSpec &spec);
ExportSpec exportSpec(const json &object);

WithFloats toWire(AttentionResult result);
AttentionResult attentionResult(const WithFloats &sent);
/// Without the maps, which nothing that is asked about a sentence needs.
json sentenceOf(AttentionResult result);
WithFloats toWire(NeuronResult result);
NeuronResult neuronResult(const WithFloats &sent);

/// {"code", "message", "data": {"kind"}}: JSON-RPC's error object.
json toWire(const Error &error);
Error error(const json &object);
inline constexpr int kCancelledCode = -32800; ///< as in the Language Server Protocol

} // namespace headscope::wire

#pragma once

#include "core/analysis/anyspec.h"
#include "core/results/attentionresult.h"
#include "core/results/json.h"
#include "core/results/neuronresult.h"
#include "core/session/session.h"
#include "core/task/runoptions.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

/// The messages between a window and the core on another machine, as JSON (PROTOCOL.md). Results are as in files. The
/// functions that read throw as jsonread.h says.
namespace headscope::wire {

using nlohmann::json;

inline constexpr int kProtocol = 1;

/// A value, and numbers that are sent in binary because they are too many for JSON.
struct WithFloats
{
    json value{};
    std::string floats{}; ///< 32-bit, little-endian
};

/// Messages of ModelOptions (without the host), ModelCard, DataSource, DataCard, DataPreview, DataRow, FolderListing,
/// PrunedCard: an object with the fields that wire.cpp describes.
template<typename T>
json toWire(const T &value);
template<typename T>
T fromWire(const json &object);

json toWire(const SentenceTree &tree);
SentenceTree sentenceTree(const json &list);
json toWire(Domain domain);
Domain domain(const json &name);
json toWire(const RunOptions &run);
RunOptions runOptions(const json &object);
/// {"analysis": "ablate", "options": {…}}: options as the command line calls them, and only those that are not as
/// usual.
json toWire(const AnySpec &spec);
AnySpec anySpec(const json &object);
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

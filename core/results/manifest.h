#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace headscope {

/// The origin of a result: written beside every export, and the source of the result's key.
struct Manifest
{
    std::string analysis; ///< "ablate", "importance", … the command of the analysis
    std::string version;  ///< of Headscope
    std::string model;    ///< folder as the user gave it
    std::string weightsHash;
    std::string settingsHash; ///< of the folder's other files: configuration, tokenizer; empty in results before 0.2
    std::string data;         ///< name of the data set
    std::string dataHash;
    std::string dataFile;           ///< its first file as the user gave it; empty in results before 0.2
    std::int64_t examples = 0;      ///< examples used
    std::int64_t totalExamples = 0; ///< examples in the set (after --limit)
    std::string spec;               ///< canonical JSON of everything that decides the numbers, seeds included
    std::string command;            ///< command line that repeats it
    std::string device;
    std::string dtype;
    std::string libtorch;
    std::string created; ///< UTC, ISO 8601
    double seconds = 0;
    int corrections = 0;  ///< of the program's own errors, see correctionsOf()
    bool partial = false; ///< of an analysis that was not finished: not to be used as if it were

    /// Hash of analysis, version, weights, settings, data and its size, spec, dtype, kind of device and corrections:
    /// equal keys mean equal numbers. A partial result has the key of the complete one.
    std::string key() const;
};

/// The error for a partial result where a complete one is needed.
std::string partialRefused(const Manifest &manifest);

} // namespace headscope

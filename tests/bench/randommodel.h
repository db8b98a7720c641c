#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace headscope {

struct RandomExamples
{
    int count = 0;
    int shortest = 0; ///< in tokens
    int longest = 0;
};

/// "bert-base", "bert-large", "marian-big", "gpt2", "pythia-1.4b", "llama-8b-4-layers" (of its 32), and tiny ones,
/// which show that something runs at all.
const std::vector<std::string> &randomShapes();

/// Writes a folder with config.json, model.safetensors (random weights as small as in a fresh model; never more than
/// one tensor in memory) and rows.jsonl (examples of random token ids, with labels or targets where the model wants
/// some). `seed`: of the weights. Throws Failure.
void writeRandomModel(const std::filesystem::path &folder, const std::string &shape, const RandomExamples &examples,
                      std::uint64_t seed = 1);

} // namespace headscope

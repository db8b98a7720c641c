#pragma once

#include "core/base/headref.h"
#include "core/base/problemtype.h"
#include "core/data/datasource.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

/// Summaries of a model and of a data set: by a session, in messages, and in studies, which show it before either is
/// read again.
namespace headscope {

/// The facts that `inspect` and the model card say.
struct ModelCard
{
    std::string host{};           ///< the machine that model and data are on; empty: this one
    std::filesystem::path folder; ///< absolute
    std::string family;           ///< "marian"
    std::string task;             ///< "translation"
    std::int64_t parameters = 0;
    std::int64_t memoryBytes = 0; ///< of the weights as they are held; 0: not known
    int width = 0;                ///< D
    HeadLayout layout;
    /// The first head of every group that shares a key–value head; empty where each head has its own.
    std::vector<HeadRef> keyGroups{};
    std::string tokenizer; ///< one line; empty when the folder has none (then only input_ids work)
    std::string device;
    std::string dtype;
    std::string weightsHash;
    std::map<std::string, std::string> files{}; ///< hashes of configuration and tokenizer files, by name
    std::string primaryMetric;                  ///< "BLEU"
    std::vector<std::string> metrics;           ///< metrics that heads can be judged by, the primary one first
    std::string generation; ///< one line: beams, length penalty, longest output; empty for classifiers
    /// Tasks that config.json has generation settings for (Decoding::task), and what each puts before a source.
    std::map<std::string, std::string> tasks{};
    ProblemType problem = ProblemType::SingleLabel; ///< of classifiers
    std::vector<std::string> labels;                ///< of classifiers
    std::vector<std::string> warnings;
    std::vector<std::string> languages; ///< codes that a multilingual model knows; empty for others
    std::string sourceLanguage;         ///< of them; empty where none was chosen, and then there can be no data
    std::string targetLanguage;

    bool operator==(const ModelCard &) const = default;
};

struct DataCard
{
    std::string name;
    DataSource origin;
    std::string hash;
    std::int64_t rows = 0;
    double meanWords = 0;           ///< white-space separated, source side
    bool pairs = false;             ///< some rows have two texts
    std::vector<LabelCount> labels; ///< as the model understands them; empty for translation
    std::vector<std::string> warnings;
    bool references = true; ///< rows have references or labels; else only what needs none can be computed
    bool trees = false;     ///< rows have dependency trees
    /// All rows are pairs of a clean and a corrupt text, with the right answer and a wrong one.
    bool patchingPairs = false;
    std::string sourceHash{}; ///< of parallel lines: of either side by itself
    std::string referenceHash{};
    std::string treesHash{}; ///< empty: no trees
    /// By which heads are judged on these data where these are not the model's metrics, the primary one first: those of
    /// minimal pairs.
    std::vector<std::string> metrics{};

    bool operator==(const DataCard &) const = default;
};

} // namespace headscope

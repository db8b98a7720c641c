#pragma once

#include "core/base/jobcontrol.h"
#include "core/demo/token.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace headscope {

/// Equal specs give equal corpora, byte for byte, on every machine.
struct DemoCorpusSpec
{
    std::uint64_t seed = 2026;
    std::int64_t trainPairs = 40000;
    std::int64_t validationPairs = 400;
    std::int64_t inDomainPairs = 500;
    std::int64_t outOfDomainPairs = 400;
};

struct DemoPair
{
    std::vector<DemoToken> english;
    std::vector<DemoToken> french;
};

/// No English sentence occurs twice, within a split or in two of them.
struct DemoCorpus
{
    std::vector<DemoPair> train;
    std::vector<DemoPair> validation;
    std::vector<DemoPair> inDomain;
    std::vector<DemoPair> outOfDomain; ///< of the sea and of travel, longer, with typing errors in the English
};

/// The sentence as one writes it.
std::string demoText(const std::vector<DemoToken> &sentence);

DemoCorpus makeDemoCorpus(const DemoCorpusSpec &spec);

/// What the classifier of the demo is asked about a sentence: the number of its main verb's object, "one" or "several";
/// "none": the verb has no object.
std::string demoLabel(const std::vector<DemoToken> &sentence);

/// Writes the splits as parallel text and as tables of English sentences with their labels, the two test splits also as
/// CoNLL-U, and the word frequencies of train into the folder, which is made if needed. The README of this folder lists
/// the files.
Result<Done> writeDemoCorpus(const DemoCorpus &corpus, const DemoCorpusSpec &spec, const std::filesystem::path &folder,
                             const JobControl &control);

} // namespace headscope

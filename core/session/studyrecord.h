#pragma once

#include "core/results/study.h"
#include "core/session/session.h"

#include <map>
#include <string>
#include <vector>

namespace headscope {

/// The card as a study keeps it: what is to be asked for when the model is opened again.
ModelCard asAsked(ModelCard card, const ModelOptions &options);

/// The hash of a model folder's files besides the weights; what a manifest says of them.
std::string settingsHash(const ModelCard &card);

/// The files that have changed between the study's results and the model or data just opened: names of files, with "
/// (gone)" or " (new)" where they were removed or added; "weights" for the weights. Empty: nothing has changed, as far
/// as an older study records it.
std::vector<std::string> changedFiles(const ModelCard &then, const ModelCard &now);
std::vector<std::string> changedFiles(const DataCard &then, const DataCard &now);

/// Hashes of files by the names that options give them.
using FileHashes = std::map<std::string, std::string>;

/// The files besides model and data whose content decided a result, as it was then: a corpus, frequencies and
/// alignments of roles, the order of a pruning curve.
FileHashes usedFiles(const Manifest &result);
/// The current hashes of these files; files that can no longer be read are left out.
Result<FileHashes> currentHashes(const FileHashes &files, const JobControl &control);
/// The data set in the other slot that decided a result, by its hash: the one that a pruning order was chosen on, or
/// masks, or that contexts were taken from. Empty: there was none.
std::string otherDataHash(const Manifest &result);
/// The request, without the content of the files and data that it names.
std::string requestedOptions(const Manifest &result);

/// The inputs of a result that have changed, as far as both versions are known.
struct Staleness
{
    bool weights = false;
    bool settings = false; ///< configuration or tokenizer files
    bool data = false;
    bool trees = false;               ///< of the data, where the result is of them
    std::vector<std::string> files{}; ///< others, see usedFiles()
    bool program = false;             ///< an older version computed it wrongly: correctionsOf()

    bool any() const { return program || weights || settings || data || trees || !files.empty(); }
};
/// Without `data` only the model is compared; `files`: their current hashes.
Staleness staleness(const Manifest &result, const ModelCard &model, const DataCard *data, const FileHashes &files = {});

/// Whether a result is to be marked as stale, not shown as if it were of this model and data.
bool isStale(const Manifest &result, const ModelCard &model, const DataCard *data = nullptr);

} // namespace headscope

#pragma once

#include "core/results/study.h"
#include "core/session/session.h"

#include <map>
#include <string>
#include <vector>

namespace headscope {

/// Cards as a study keeps them, and back.
StudyModel studyModel(const ModelCard &card, const ModelOptions &options);
ModelCard modelCard(const StudyModel &model);
StudyData studyData(const DataCard &card);
DataCard dataCard(const StudyData &data);

/// Of a model folder's files besides the weights; what a manifest says of them.
std::string settingsHash(const ModelCard &card);

/// What results of the study were computed from and is no longer the same in the model or data just opened: names of
/// files, with " (gone)" or " (new)" where it is that; "weights" for those. Empty: all is as it was, as far as an older
/// study can say.
std::vector<std::string> changedFiles(const StudyModel &then, const ModelCard &now);
std::vector<std::string> changedFiles(const StudyData &then, const DataCard &now);

/// Hashes of files by the names that options give them.
using FileHashes = std::map<std::string, std::string>;

/// The files besides model and data whose content decided a result, as it was then: a corpus, frequencies and
/// alignments of roles, the order of a pruning curve.
FileHashes usedFiles(const Manifest &result);
/// What these files hold now; those that cannot be read any more are left out.
Result<FileHashes> currentHashes(const FileHashes &files, const JobControl &control);
/// The data set in the other slot that decided a result, by its hash: the one that a pruning order was chosen on, or
/// masks, or that contexts were taken from. Empty: there was none.
std::string otherDataHash(const Manifest &result);
/// What was asked for, whatever was in the files and data that it names.
std::string askedOptions(const Manifest &result);

/// What a result was computed from and is no longer the same, as far as both are known.
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
/// Without `data` only the model is looked at; `files`: what they hold now.
Staleness staleness(const Manifest &result, const ModelCard &model, const DataCard *data, const FileHashes &files = {});

/// Whether a result is to be marked as stale, not shown as if it were of this model and data.
bool isStale(const Manifest &result, const ModelCard &model, const DataCard *data = nullptr);

} // namespace headscope

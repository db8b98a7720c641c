#pragma once

#include "core/base/result.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace headscope {

/// The results of one model: a folder with what paperitems.h names (report/, window/, tables/).
struct PaperRun
{
    std::string name;
    std::filesystem::path folder;
    std::vector<std::string> files; ///< paths in the folder, with /, in order
    /// Verdicts of report/report.json, and of tables (paperverdicts.h): item, then "holds", … and the sentences that it
    /// rests on.
    struct Verdict
    {
        std::string item;
        std::string claim;
        std::string data;
        std::string verdict;
        std::string numbers;
        std::string rule{}; ///< when it holds, and when it does not
    };
    std::vector<Verdict> verdicts;
    /// Files and folders whose command failed, by their paths in the folder: the last line of the .log beside them.
    std::map<std::string, std::string> failures{};
};

/// Reads the folders of models in `folder`, in the order of their names. Errors: there is none, a report that is none.
Result<std::vector<PaperRun>> readPaperRuns(const std::filesystem::path &folder);

/// The gallery: one page with every table and figure of the six papers in their order, each with the paper's claim,
/// ours of every model, verdicts and the command; what no model has says why: what failed, else what it takes. Links
/// are relative to the folder that the page is in.
std::string paperPage(const std::vector<PaperRun> &runs);

/// The page in short, for who reads no HTML: a line per item,
/// "michel-figure-1: 6 files of 2 models, holds in 2 of 3, cannot be told in 1", "michel-table-2: nothing: it takes …".
std::vector<std::string> paperSummary(const std::vector<PaperRun> &runs);

} // namespace headscope

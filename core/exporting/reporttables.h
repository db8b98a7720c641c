#pragma once

#include "core/exporting/texttable.h"
#include "core/results/reportcontents.h"

#include <string>
#include <vector>

namespace headscope {

/// One table of a report in its three forms.
struct ReportTable
{
    std::string file;             ///< name of its files without suffix: "ablation-in"
    std::string title;            ///< "Score without each head (Table 1), test_2016_flickr"
    std::string note;             ///< what marks and columns mean
    std::vector<TextTable> parts; ///< as HTML shows it
    std::string csv;              ///< all numbers with all digits
    bool isLong = false;          ///< one line per head: folded away in the page
    std::string ownLatex{};       ///< where it is not that of the parts

    std::string latex() const;
};

/// All tables that the contents have numbers for.
std::vector<ReportTable> reportTables(const ReportContents &contents);

/// "in" or "out": how files of a domain end.
const char *fileSuffix(const ReportDomain &domain);
/// A table of a domain to be filled: its files are called after `name` and the domain, its title ends with the data
/// set.
ReportTable tableOf(const ReportDomain &domain, const std::string &name, const std::string &title);

} // namespace headscope

#include "core/exporting/reportfolder.h"

#include "core/formats/atomicfile.h"
#include "core/formats/atomicfolder.h"
#include "core/formats/jsonfile.h"

#include <algorithm>
#include <set>

namespace headscope {

namespace {

namespace fs = std::filesystem;

constexpr const char *kReportFile = "report.json";

/// Without a slash at the end, which would have no name to put another beside.
fs::path named(fs::path folder)
{
    while (!folder.empty() && folder.filename().empty() && folder.has_relative_path())
        folder = folder.parent_path();
    return folder;
}

/// The files that the report in `folder` says are its own.
std::set<std::string> filesOfReport(const fs::path &folder)
{
    std::set<std::string> files;
    const auto json = readJsonFile(folder / kReportFile);
    if (!json.isOk() || !json.value().is_object() || json.value().value("result", nlohmann::json()) != "report")
        return files;
    const auto list = json.value().find("files");
    if (list == json.value().end() || !list->is_array())
        return files;
    for (const auto &file : *list) {
        if (file.is_string())
            files.insert(file.get<std::string>());
    }
    return files;
}

} // namespace

Result<Done> checkReportFolder(const fs::path &target)
{
    const fs::path folder = named(target);
    if (folder.empty() || folder.filename() == "." || folder.filename() == "..")
        return usageError("Give the report's folder by its name; \"" + target.string() + "\" is none.");
    std::error_code error;
    if (!fs::exists(folder, error))
        return Done{};
    if (!fs::is_directory(folder, error))
        return badInput(folder.string() + " is a file. Choose a new folder for the report.");
    if (fs::is_empty(folder, error) && !error)
        return Done{};
    const std::set<std::string> own = filesOfReport(folder);
    if (own.empty())
        return badInput(folder.string() + " is not empty and no report. Choose a new folder for the report.");
    std::set<std::string> folders; // of its files
    for (const std::string &file : own)
        folders.insert(fs::path(file).parent_path().generic_string());
    for (const auto &entry : fs::recursive_directory_iterator(folder, error)) {
        const std::string name = entry.path().lexically_relative(folder).generic_string();
        std::error_code unread; // what it is, nobody knows: not ours then
        if (!(entry.is_directory(unread) ? folders : own).contains(name))
            return badInput(folder.string() + " holds " + name
                            + " beside a report. Move it elsewhere, or choose a new "
                              "folder for the report.");
    }
    if (error)
        return badInput("Cannot read the folder " + folder.string() + ": " + error.message() + ".");
    return Done{};
}

Result<Done> writeReportFolder(const fs::path &target, const ReportContents &contents,
                               const std::vector<ReportFigureCard> &figures, std::vector<ReportFile> files)
{
    const Result<Done> free = checkReportFolder(target);
    if (!free.isOk())
        return free;
    const std::vector<ReportTable> tables = reportTables(contents);
    const std::vector<Finding> findings = findingsOf(contents);
    for (const ReportTable &table : tables) {
        files.push_back({kTablesFolder + table.file + ".csv", table.csv});
        files.push_back({kTablesFolder + table.file + ".tex", table.latex()});
    }
    files.push_back({"index.html", reportPage(contents, findings, figures, tables)});
    std::vector<std::string> names{kReportFile};
    for (const ReportFile &file : files)
        names.push_back(file.name);
    std::ranges::sort(names);
    files.push_back({kReportFile, reportJson(contents, findings, names)});
    return makeFolderAtomically(
        named(target),
        [&](const fs::path &partial) -> Result<Done> {
            for (const ReportFile &file : files) {
                std::error_code ignored; // the file cannot be written then
                fs::create_directories((partial / file.name).parent_path(), ignored);
                Result<Done> written = writeFileAtomically(partial / file.name, file.bytes);
                if (!written.isOk())
                    return written;
            }
            return Done{};
        },
        Occupied::Replace);
}

} // namespace headscope

#include "app/cli/output.h"

#include "core/exporting/csv.h"
#include "core/formats/atomicfile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace headscope::cli {

namespace {

namespace fs = std::filesystem;

/// Whether writing `file` would replace the input, or a file of the folder that it is, also through links.
bool isOf(const fs::path &file, const std::string &input)
{
    std::error_code ignored;
    const bool replaced
        = fs::exists(file, ignored) && !fs::is_character_file(file, ignored) && !fs::is_fifo(file, ignored);
    if (input.empty() || !replaced)
        return false;
    if (!fs::is_directory(input, ignored))
        return fs::equivalent(file, input, ignored);
    return fs::equivalent(fs::absolute(file).lexically_normal().parent_path(), input, ignored)
        || fs::equivalent(fs::canonical(file, ignored).parent_path(), input, ignored);
}

/// The nearest folder above `path` that is there.
fs::path existingFolder(const fs::path &path)
{
    std::error_code ignored;
    fs::path folder = fs::absolute(path).lexically_normal();
    while (!fs::exists(folder, ignored) && folder.has_relative_path())
        folder = folder.parent_path();
    return folder;
}

void checkFile(const std::string &file, const std::vector<std::string> &inputs)
{
    checkKept("--out", file, inputs);
    const auto writable = headscope::checkWritable(fs::path(file));
    if (!writable.isOk())
        throw Failure(resourceError("--out: " + writable.error().message));
}

} // namespace

void checkKept(const std::string &option, const std::string &file, const std::vector<std::string> &inputs)
{
    for (const std::string &input : inputs) {
        if (isOf(file, input))
            throw Failure(usageError(fmt::format("{} {}: the result would replace {}, which is an input; choose "
                                                 "another name",
                                                 option, file, input)));
    }
}

void checkKept(const NamedFiles &files)
{
    for (auto one = files.outputs.begin(); one != files.outputs.end(); ++one) {
        checkKept(one->option, one->file, files.inputs);
        std::error_code ignored;
        const fs::path path = fs::weakly_canonical(one->file, ignored);
        const auto same = std::find_if(files.outputs.begin(), one, [&](const NamedFiles::Output &other) {
            return !path.empty() && fs::weakly_canonical(other.file, ignored) == path
                && !fs::is_character_file(path, ignored);
        });
        if (same != one)
            throw Failure(
                usageError(fmt::format("{} and {} name the same file, {}; choose another name for one of them",
                                       same->option, one->option, one->file)));
    }
}

void checkWritable(const OutputArguments &output, const std::vector<std::string> &inputs)
{
    if (output.file.empty())
        return;
    const fs::path path(output.file);
    const fs::path folder = path.has_parent_path() ? path.parent_path() : ".";
    std::error_code status;
    if (!fs::is_directory(folder, status))
        throw Failure(resourceError(fmt::format("--out {}: there is no folder {}", output.file, folder.string())));
    checkFile(output.file, inputs);
    if (output.isCsv())
        checkFile(output.file + ".manifest.json", inputs);
}

std::vector<std::string> inputsOf(const CommonArguments &arguments)
{
    const DataSource &data = arguments.data;
    return {arguments.model.folder, data.source, data.reference, data.table, data.conllu, data.text, data.shotsFile};
}

void checkNewFolder(const fs::path &folder, const char *option)
{
    std::error_code status;
    if (fs::exists(folder, status) && (!fs::is_directory(folder, status) || !fs::is_empty(folder, status)))
        throw Failure(
            usageError(fmt::format("{} {}: the folder is not empty; choose a new folder", option, folder.string())));
    const fs::path above = existingFolder(folder);
    const auto writable = headscope::checkWritable(above / ".headscope-try");
    if (!writable.isOk())
        throw Failure(resourceError(fmt::format("{} {}: {}", option, folder.string(), writable.error().message)));
}

void writeText(const OutputArguments &output, const std::string &text)
{
    if (!output.file.empty()) {
        (void)writeFileAtomically(output.file, text).valueOrThrow();
        return;
    }
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
        throw Failure(resourceError(fmt::format("cannot write to standard output: {}", std::strerror(errno))));
}

void writeForms(const OutputArguments &output, const ResultForms &forms, bool partial)
{
    if (output.isCsv() && forms.manifest != nullptr && !output.file.empty()) {
        (void)writeWithCompanion(output.file, forms.csv(), output.file + ".manifest.json",
                                 jsonText(toJson(*forms.manifest)) + "\n")
            .valueOrThrow();
        return;
    }
    if (output.isCsv())
        return writeText(output, forms.csv());
    Json json = forms.json();
    if (partial)
        json["partial"] = true; // the manifest says it too, but this is where scripts look
    writeText(output, jsonText(json) + "\n");
}

void writeResult(const OutputArguments &output, const AnyResult &result, bool partial)
{
    writeForms(output, {[&] { return toJson(result); }, [&] { return toCsv(result); }, manifestOf(result)}, partial);
}

} // namespace headscope::cli

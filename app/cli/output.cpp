#include "app/cli/output.h"

#include "core/exporting/csv.h"
#include "core/formats/atomicfile.h"

#include <fmt/format.h>

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

namespace headscope::cli {

void checkWritable(const OutputArguments &output)
{
    if (output.file.empty())
        return;
    const std::filesystem::path path(output.file);
    const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
    std::error_code status;
    if (std::filesystem::is_directory(path, status))
        throw Failure(resourceError(fmt::format("--out {}: this is a folder; give the name of a file", output.file)));
    if (!std::filesystem::is_directory(folder, status))
        throw Failure(resourceError(fmt::format("--out {}: there is no folder {}", output.file, folder.string())));
    if (access(folder.c_str(), W_OK) != 0)
        throw Failure(resourceError(fmt::format("--out {}: the folder {} cannot be written to ({}); choose another "
                                                "one",
                                                output.file, folder.string(), std::strerror(errno))));
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
    if (output.isCsv()) {
        writeText(output, forms.csv());
        if (forms.manifest != nullptr && !output.file.empty())
            (void)writeFileAtomically(output.file + ".manifest.json", jsonText(toJson(*forms.manifest)) + "\n")
                .valueOrThrow();
        return;
    }
    Json json = forms.json();
    if (partial)
        json["partial"] = true;
    writeText(output, jsonText(json) + "\n");
}

void writeResult(const OutputArguments &output, const AnyResult &result, bool partial)
{
    writeForms(output, {[&] { return toJson(result); }, [&] { return toCsv(result); }, manifestOf(result)}, partial);
}

} // namespace headscope::cli

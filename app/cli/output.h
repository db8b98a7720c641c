#pragma once

#include "app/cli/context.h"
#include "core/results/json.h"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace headscope::cli {

/// The files that the words of a call name: those and the folders that it reads, and those that it writes.
struct NamedFiles
{
    struct Output
    {
        std::string option;
        std::string file;
    };
    std::vector<std::string> inputs;
    std::vector<Output> outputs;
};

/// Refuses to write a file that is one of the `inputs`, or lies in an input that is a folder. `option`: what names the
/// file, in messages. Throws Failure.
void checkKept(const std::string &option, const std::string &file, const std::vector<std::string> &inputs);
/// The same for all files that a call writes, and no two of them are one. Every command's words are checked so before
/// it runs; what it learns of its inputs from files (a plan, a configuration) it passes to checkWritable().
void checkKept(const NamedFiles &files);
/// Refuses an output file that could not be written, or is one of the `inputs` or of the files in an input that is a
/// folder, before the work and not after it. Throws Failure.
void checkWritable(const OutputArguments &output, const std::vector<std::string> &inputs = {});
/// The files of the data set and the folder of the model.
std::vector<std::string> inputsOf(const CommonArguments &arguments);
/// Refuses a folder that has something in it, or could not be made. Throws Failure.
void checkNewFolder(const std::filesystem::path &folder, const char *option);

/// Text to --out (appearing whole or not at all) or standard output. Throws Failure.
void writeText(const OutputArguments &output, const std::string &text);
/// A result that is written in more ways than its own, made when wanted.
struct ResultForms
{
    std::function<Json()> json;
    std::function<std::string()> csv;
    const Manifest *manifest = nullptr;
};
/// As JSON, or as CSV with FILE.manifest.json beside it.
void writeForms(const OutputArguments &output, const ResultForms &forms, bool partial = false);
/// A result as JSON, or as CSV with FILE.manifest.json beside it.
void writeResult(const OutputArguments &output, const AnyResult &result, bool partial = false);
template<ResultStruct T>
void writeResult(const OutputArguments &output, const T &result, bool partial = false)
{
    writeResult(output, borrowed(result), partial);
}

/// Results of sweeps, which go on from their work folder.
template<typename T>
inline constexpr bool kIsSwept
    = std::is_same_v<T, AblationResult> || std::is_same_v<T, PruningResult> || std::is_same_v<T, SearchResult>;

/// Runs an analysis. When it is cancelled, its latest partial result is written by `write(result, partial)` before
/// Cancelled goes on its way.
template<typename T, typename Run, typename Write>
T runKeepingPartial(Context &context, Run run, Write write)
{
    std::optional<T> latest;
    Result<T> result = run([&](const T &partial) { latest = partial; });
    if (!result.isCancelled())
        return std::move(result).valueOrThrow();
    if (latest) {
        write(*latest, true);
        context.note("cancelled; the partial result was kept");
    }
    if constexpr (kIsSwept<T>)
        context.note("the same call goes on from what is done");
    throw Cancelled();
}

/// Like runKeepingPartial(), for commands whose result writeResult() writes.
template<typename T, typename Run>
T runAndWrite(Context &context, const OutputArguments &output, Run run)
{
    const auto write = [&](const T &result, bool partial) { writeResult(output, result, partial); };
    T result = runKeepingPartial<T>(context, run, write);
    write(result, false);
    return result;
}

} // namespace headscope::cli

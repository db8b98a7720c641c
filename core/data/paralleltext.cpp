#include "core/data/readers.h"

#include "core/formats/textlines.h"

#include <fmt/format.h>

namespace headscope {
namespace {

/// `most`: no more lines than these were read; 0: all were.
Error unequal(const DataSource &source, std::size_t sources, std::size_t references, std::int64_t most)
{
    const auto count = [&](std::size_t lines) {
        const bool maybeMore = most > 0 && static_cast<std::int64_t>(lines) == most;
        return fmt::format("{}{} lines", maybeMore ? "at least " : "", lines);
    };
    return badInput(
        fmt::format("{} has {} but {} has {}; in parallel files line N of one belongs to line N of the other, so "
                    "both need the same number",
                    source.source, count(sources), source.reference, count(references)));
}

std::vector<std::string> linesOf(const std::string &path, std::int64_t most, const JobControl &control)
{
    // Packed text may be a thousand times as large as its file, and need not have any line ends.
    constexpr std::int64_t kLineBytes = std::int64_t{1} << 20;
    const std::int64_t bytes
        = most > 0 && most < kLargestText / kLineBytes - 16 ? (most + 16) * kLineBytes : kLargestText;
    auto lines = readLines(path, control, bytes, most).valueOrThrow();
    if (lines.empty())
        throw Failure(badInput(path + " is empty; one sentence per line was expected"));
    return lines;
}

} // namespace

Result<std::vector<Example>> readParallelText(const DataSource &source, const JobControl &control)
{
    // Trees go with all lines.
    const std::int64_t most = source.conllu.empty() ? source.limit : 0;
    std::vector<std::string> sources = linesOf(source.source, most, control);
    std::vector<std::string> references;
    if (!source.reference.empty()) {
        references = linesOf(source.reference, most, control);
        if (references.size() != sources.size())
            return unequal(source, sources.size(), references.size(), most);
    }
    std::vector<Example> examples(sources.size());
    for (std::size_t i = 0; i < sources.size(); ++i) {
        examples[i].source = std::move(sources[i]);
        if (!references.empty())
            examples[i].reference = std::move(references[i]);
    }
    return examples;
}

} // namespace headscope

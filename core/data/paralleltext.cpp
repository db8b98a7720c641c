#include "core/data/readers.h"

#include "core/formats/textlines.h"

#include <fmt/format.h>

namespace headscope {
namespace {

Error unequal(const DataSource &source, std::size_t sources, std::size_t references)
{
    return badInput(fmt::format("{} has {} lines but {} has {}; in parallel files line N of one belongs to line N of "
                                "the other, so both need the same number",
                                source.source, sources, source.reference, references));
}

std::vector<std::string> linesOf(const std::string &path, const JobControl &control)
{
    auto lines = readLines(path, control).valueOrThrow();
    if (lines.empty())
        throw Failure(badInput(path + " is empty; one sentence per line was expected"));
    return lines;
}

} // namespace

Result<std::vector<Example>> readParallelText(const DataSource &source, const JobControl &control)
{
    std::vector<std::string> sources = linesOf(source.source, control);
    std::vector<std::string> references;
    if (!source.reference.empty()) {
        references = linesOf(source.reference, control);
        if (references.size() != sources.size())
            return unequal(source, sources.size(), references.size());
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

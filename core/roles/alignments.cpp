#include "core/roles/alignments.h"

#include "core/formats/textlines.h"
#include "core/formats/utf8.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace headscope {
namespace {

bool readNumber(std::string_view &text, int &number)
{
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || number < 0)
        return false;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return true;
}

/// "3-4", "3?4" or "3p4".
bool readLink(std::string_view text, AlignedWords &link)
{
    if (!readNumber(text, link.source) || text.empty())
        return false;
    const char between = text.front();
    link.sure = between == '-';
    if (between != '-' && between != '?' && between != 'p')
        return false;
    text.remove_prefix(1);
    return readNumber(text, link.target) && text.empty();
}

} // namespace

Result<std::vector<WordAlignment>> readAlignments(const std::filesystem::path &file, const JobControl &control)
{
    const auto lines = readLines(file, control);
    if (!lines.isOk())
        return lines.error();
    std::vector<WordAlignment> alignments;
    for (const std::string &line : lines.value()) {
        WordAlignment alignment;
        std::string_view rest = trimmed(line);
        while (!rest.empty()) {
            const std::string_view word = rest.substr(0, rest.find_first_of(" \t"));
            AlignedWords link;
            if (!readLink(word, link))
                return badInput(
                    fmt::format("{}: line {} has \"{}\"; links like 0-0, or 2?3 for a possible one, were expected",
                                file.string(), alignments.size() + 1, word));
            alignment.push_back(link);
            rest = trimmed(rest.substr(word.size()));
        }
        alignments.push_back(std::move(alignment));
    }
    return alignments;
}

void AlignmentCounts::add(const AlignmentCounts &other)
{
    links += other.links;
    sure += other.sure;
    inSure += other.inSure;
    inPossible += other.inPossible;
}

double AlignmentCounts::errorRate() const
{
    return links + sure > 0 ? 1 - static_cast<double>(inSure + inPossible) / static_cast<double>(links + sure) : 1;
}

AlignmentCounts alignmentCounts(const float *weights, std::int64_t keys,
                                const std::vector<std::vector<int>> &rowsOfWord,
                                const std::vector<std::vector<int>> &piecesOfWord, const WordAlignment &gold)
{
    AlignmentCounts counts;
    counts.sure = std::ranges::count_if(gold, &AlignedWords::sure);
    for (std::size_t target = 0; target < rowsOfWord.size(); ++target) {
        if (rowsOfWord[target].empty())
            continue;
        int best = -1;
        double most = -1;
        for (std::size_t source = 0; source < piecesOfWord.size(); ++source) {
            if (piecesOfWord[source].empty())
                continue;
            double sum = 0; // over all rows; their mean orders alike
            for (const int row : rowsOfWord[target]) {
                for (const int piece : piecesOfWord[source])
                    sum += weights[row * keys + piece];
            }
            if (sum > most) {
                most = sum;
                best = static_cast<int>(source);
            }
        }
        if (best < 0)
            continue;
        ++counts.links;
        const auto link = std::ranges::find_if(gold, [&](const AlignedWords &words) {
            return words.source == best && words.target == static_cast<int>(target);
        });
        if (link != gold.end()) {
            ++counts.inPossible;
            counts.inSure += link->sure ? 1 : 0;
        }
    }
    return counts;
}

} // namespace headscope

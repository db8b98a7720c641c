#include "core/metrics/rougerecall.h"

#include "core/metrics/metrictext.h"

#include <algorithm>
#include <map>
#include <string>

namespace headscope {
namespace {

std::map<std::string, int> wordCounts(std::string_view text)
{
    std::string words = lowerCase(text);
    std::ranges::replace_if(
        words,
        [](char c) {
            const auto byte = static_cast<unsigned char>(c);
            return byte < 0x80 && !(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9');
        },
        ' ');
    std::map<std::string, int> counts;
    for (const std::string_view word : splitOnSpace(words))
        ++counts[std::string(word)];
    return counts;
}

} // namespace

double rouge1Recall(std::string_view text, std::string_view answer)
{
    const auto said = wordCounts(text);
    int all = 0;
    int found = 0;
    for (const auto &[word, count] : wordCounts(answer)) {
        const auto there = said.find(word);
        all += count;
        found += there == said.end() ? 0 : std::min(count, there->second);
    }
    return all > 0 ? static_cast<double>(found) / all : 0;
}

} // namespace headscope

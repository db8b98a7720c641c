#pragma once

#include "core/formats/atomicfile.h"

#include <filesystem>
#include <string>

namespace headscope::testing {

/// Sentences of a made-up language whose translation is word by word, in the reverse order.
inline void writeReverseCorpus(const std::filesystem::path &folder, const std::string &name, int lines, unsigned seed)
{
    const char *words[][2] = {{"ba", "one"}, {"do", "two"}, {"ki", "three"}, {"lu", "four"}, {"me", "five"}};
    std::string source;
    std::string target;
    for (int line = 0; line < lines; ++line) {
        seed = seed * 1103515245 + 12345;
        unsigned state = seed >> 8;
        std::string left;
        std::string right;
        for (unsigned i = 0; i < 2 + state % 5; ++i) {
            const auto &word = words[(state >> (3 * i)) % 5];
            left += (left.empty() ? "" : " ") + std::string(word[0]);
            right = word[1] + (right.empty() ? "" : " " + right);
        }
        source += left + " .\n";
        target += right + " .\n";
    }
    (void)writeFileAtomically(folder / (name + ".src"), source);
    (void)writeFileAtomically(folder / (name + ".ref"), target);
}

} // namespace headscope::testing

#include "core/demo/noise.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace headscope::demo {

namespace {

constexpr std::string_view kRows[] = {"qwertyuiop", "asdfghjkl", "zxcvbnm"};

char neighbour(char letter, Random &random)
{
    for (const std::string_view row : kRows) {
        const std::size_t at = row.find(letter);
        if (at == std::string_view::npos)
            continue;
        if (at == 0)
            return row[1];
        if (at + 1 == row.size())
            return row[at - 1];
        return random.below(2) == 0 ? row[at - 1] : row[at + 1];
    }
    return letter;
}

bool isPlain(const std::string &word)
{
    return word.size() >= 3
        && std::ranges::all_of(word, [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); });
}

void swapLetters(std::string &word, std::size_t at)
{
    // Equal letters swapped are no error; a neighbour is then left out instead.
    if (word[at] == word[at - 1])
        word.erase(at, 1);
    else
        std::swap(word[at], word[at - 1]);
}

bool mistypeOneWord(std::vector<DemoToken> &sentence, Random &random)
{
    std::vector<DemoToken *> candidates;
    for (DemoToken &token : sentence) {
        if (isPlain(token.form))
            candidates.push_back(&token);
    }
    if (candidates.empty())
        return false;
    DemoToken &token = *candidates[random.below(static_cast<std::uint32_t>(candidates.size()))];
    token.form = mistyped(token.form, random);
    return true;
}

void lowerFirstLetter(std::vector<DemoToken> &sentence)
{
    char &first = sentence.front().form.front();
    if (first >= 'A' && first <= 'Z')
        first = static_cast<char>(first - 'A' + 'a');
}

void dropFullStop(std::vector<DemoToken> &sentence)
{
    if (sentence.back().form == ".")
        sentence.pop_back();
}

} // namespace

// The first letter stays: such errors are the rarest, and the sentence keeps its capital.
std::string mistyped(const std::string &word, Random &random)
{
    if (!isPlain(word))
        return word;
    std::string result = word;
    const std::size_t at = 1 + random.below(static_cast<std::uint32_t>(word.size() - 1));
    const std::uint32_t kind = random.below(4);
    if (kind == 0 && at > 1)
        swapLetters(result, at);
    else if (kind == 1)
        result.insert(at, 1, result[at]);
    else if (kind == 2)
        result.erase(at, 1);
    else
        result[at] = neighbour(result[at], random);
    return result;
}

void addTypingNoise(std::vector<DemoToken> &sentence, Random &random)
{
    const std::uint32_t kind = random.below(10);
    if (kind < 2)
        lowerFirstLetter(sentence);
    else if (kind < 4)
        dropFullStop(sentence);
    mistypeOneWord(sentence, random);
    if (kind % 2 == 0)
        mistypeOneWord(sentence, random);
}

} // namespace headscope::demo

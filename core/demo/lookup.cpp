#include "core/demo/lexicon.h"

#include "core/base/result.h"

#include <algorithm>
#include <string>

namespace headscope::demo {

namespace {

template<typename Entry, typename Accepts>
const Entry &find(std::span<const Entry> table, std::string_view english, Accepts accepts)
{
    const auto found = std::ranges::find_if(table, accepts);
    if (found == table.end())
        throw Failure({ErrorCode::Internal, "the demo's lexicon has no word " + std::string(english)});
    return *found;
}

template<typename Entry>
const Entry &find(std::span<const Entry> table, std::string_view english, std::string_view french = {})
{
    return find(table, english, [&](const Entry &entry) {
        return entry.english == english && (french.empty() || entry.french == french);
    });
}

} // namespace

bool isDirect(const Verb &verb)
{
    return verb.frame == Frame::Transitive && verb.english.find(' ') == std::string_view::npos
        && verb.french.find(' ') == std::string_view::npos;
}

const Noun &noun(std::string_view english)
{
    return find(nouns(), english);
}
const Adjective &adjective(std::string_view english)
{
    return find(adjectives(), english);
}
const Verb &verb(std::string_view english, std::string_view french)
{
    return find(verbs(), english, french);
}
const Adverb &adverb(std::string_view english)
{
    return find(adverbs(), english);
}

const Preposition &preposition(std::string_view english, std::string_view french)
{
    return find(prepositions(), english, french);
}

const TimePhrase &timePhrase(std::string_view englishStart)
{
    return find(timePhrases(), englishStart,
                [&](const TimePhrase &phrase) { return phrase.english.starts_with(englishStart); });
}

const Name &name(std::string_view english)
{
    for (const auto table : {firstNames(), towns()}) {
        const auto found = std::ranges::find(table, english, &Name::english);
        if (found != table.end())
            return *found;
    }
    return find(surnames(), english);
}

} // namespace headscope::demo

#pragma once

#include "core/base/enumnames.h"
#include "core/base/sentencetree.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace headscope {

/// The form of a mention's head word, by its tag.
enum class MentionForm : std::uint8_t { Pronoun, Proper, Nominal };
template<>
struct EnumNames<MentionForm>
{
    static constexpr std::array<std::string_view, 3> values{"pronoun", "proper", "nominal"};
    static constexpr const char *what = "form of a mention";
};
inline constexpr std::size_t kMentionForms = EnumNames<MentionForm>::values.size();

/// A mention: words first … last of a document that refer to something; mentions of one thing have the same entity.
struct Mention
{
    int first = 0;
    int last = 0;
    int head = 0; ///< its syntactic head
    int entity = 0;
    MentionForm form = MentionForm::Nominal;

    bool operator==(const Mention &) const = default;
};

/// The mentions of a document and which of them corefer.
struct Coreference
{
    SentenceTree words;            ///< of the whole document, with Penn tags, without heads and relations
    std::vector<Mention> mentions; ///< by their first word, then by their last

    bool empty() const { return words.empty(); }
    bool operator==(const Coreference &) const = default;
};

} // namespace headscope

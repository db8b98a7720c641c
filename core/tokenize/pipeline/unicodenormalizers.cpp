#include "core/tokenize/pipeline/unicodenormalizers.h"

#include "core/tokenize/pipeline/normalizer.h"

#include <algorithm>

namespace headscope::pipeline {
namespace {

/// A character, and what it replaces, as Rewriter::change() takes it.
struct Change
{
    char32_t code = 0;
    int change = 0;
    int combiningClass = 0;
};

/// All characters decomposed, marks in canonical order. The numbers of replaced characters move with the marks, as in
/// the original library: so do the places that marks out of order belong to.
std::vector<Change> decomposition(std::string_view text, bool compatibility)
{
    std::vector<Change> changes;
    std::size_t firstMark = 0; // of the marks after the last character that is none
    const auto sortMarks = [&] {
        std::stable_sort(changes.begin() + static_cast<std::ptrdiff_t>(firstMark), changes.end(),
                         [](const Change &a, const Change &b) { return a.combiningClass < b.combiningClass; });
    };
    for (std::size_t at = 0; at < text.size();) {
        const Char next = charAt(text, at);
        at += next.size;
        bool isFirst = true;
        for (const char32_t code : decomposed(next.code, compatibility)) {
            const int combining = combiningClass(code);
            if (combining == 0)
                sortMarks();
            changes.push_back({code, isFirst ? 0 : 1, combining});
            if (combining == 0)
                firstMark = changes.size();
            isFirst = false;
        }
    }
    sortMarks();
    return changes;
}

/// Joins what can be joined, each character with the last starter that nothing blocks it from.
std::vector<Change> composition(const std::vector<Change> &parts)
{
    std::vector<Change> joined;
    std::ptrdiff_t starter = -1;
    int lastClass = -1; // of what stands between the starter and here, -1: nothing
    for (const Change &part : parts) {
        const bool isBlocked = starter < 0 || (lastClass >= 0 && lastClass >= part.combiningClass);
        if (!isBlocked) {
            Change &first = joined[static_cast<std::size_t>(starter)];
            if (const char32_t both = composed(first.code, part.code)) {
                first.code = both;
                first.change += part.change - 1;
                continue;
            }
        }
        joined.push_back(part);
        if (part.combiningClass == 0) {
            starter = static_cast<std::ptrdiff_t>(joined.size()) - 1;
            lastClass = -1;
        } else {
            lastClass = part.combiningClass;
        }
    }
    return joined;
}

void rewrite(AlignedText &text, const std::vector<Change> &changes)
{
    Rewriter rewriter(text);
    for (const Change &change : changes)
        rewriter.change(change.code, change.change);
    rewriter.finish();
}

using Function = void (*)(AlignedText &);

/// A normaliser without settings.
template<Function kFunction>
class Plain final : public Normalizer
{
public:
    void apply(AlignedText &text) const override { kFunction(text); }
};

void nfc(AlignedText &text)
{
    compose(text, false);
}
void nfd(AlignedText &text)
{
    decompose(text, false);
}
void nfkc(AlignedText &text)
{
    compose(text, true);
}
void nfkd(AlignedText &text)
{
    decompose(text, true);
}

void stripAccents(AlignedText &text)
{
    filter(text, [](char32_t code) { return !isMark(code); });
}

} // namespace

bool isAscii(std::string_view text)
{
    return std::all_of(text.begin(), text.end(), [](char byte) { return static_cast<unsigned char>(byte) < 0x80; });
}

void lowerCase(AlignedText &text)
{
    Rewriter rewriter(text);
    while (!rewriter.atEnd()) {
        const char32_t code = rewriter.peek().code;
        if (code < 0x80) {
            rewriter.replace(code >= 'A' && code <= 'Z' ? code + ('a' - 'A') : code);
            continue;
        }
        bool isFirst = true;
        for (const char32_t lower : lowerCase(code)) {
            rewriter.change(lower, isFirst ? 0 : 1);
            isFirst = false;
        }
    }
    rewriter.finish();
}

void decompose(AlignedText &text, bool compatibility)
{
    if (!isAscii(text.text()))
        rewrite(text, decomposition(text.text(), compatibility));
}

void compose(AlignedText &text, bool compatibility)
{
    if (!isAscii(text.text()))
        rewrite(text, composition(decomposition(text.text(), compatibility)));
}

NormalizerPtr makeNfc(const Part &)
{
    return std::make_unique<Plain<nfc>>();
}

NormalizerPtr makeNfd(const Part &)
{
    return std::make_unique<Plain<nfd>>();
}

NormalizerPtr makeNfkc(const Part &)
{
    return std::make_unique<Plain<nfkc>>();
}

NormalizerPtr makeNfkd(const Part &)
{
    return std::make_unique<Plain<nfkd>>();
}

NormalizerPtr makeLowercase(const Part &)
{
    return std::make_unique<Plain<lowerCase>>();
}

NormalizerPtr makeStripAccents(const Part &)
{
    return std::make_unique<Plain<stripAccents>>();
}

} // namespace headscope::pipeline

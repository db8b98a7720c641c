#include "core/tokenize/pipeline/decoder.h"

#include "core/tokenize/pipeline/bytechars.h"
#include "core/tokenize/pipeline/metaspace.h"
#include "core/tokenize/pipeline/pattern.h"

#include <algorithm>
#include <functional>

namespace headscope::pipeline {
namespace {

using Pieces = std::vector<std::string>;

std::string joined(const Pieces &pieces)
{
    std::string text;
    for (const std::string &piece : pieces)
        text += piece;
    return text;
}

std::size_t sizeOf(const Pieces &pieces)
{
    std::size_t size = pieces.size();
    for (const std::string &piece : pieces)
        size += piece.size();
    return size;
}

std::string replaced(const std::string &text, const Pattern &pattern, const std::string &content)
{
    std::string result;
    for (const Pattern::Stretch &stretch : pattern.find(text))
        result += stretch.isMatch ? content : text.substr(stretch.begin, stretch.end - stretch.begin);
    return result;
}

std::string replaced(const std::string &text, const std::string &from, const std::string &to)
{
    return replaced(text, Pattern([&from](std::string_view in, std::size_t at) {
                        return in.substr(at).starts_with(from) ? from.size() : 0;
                    }),
                    to);
}

/// A decoder that is one function of the pieces.
class Step final : public Decoder
{
public:
    explicit Step(std::function<Pieces(Pieces)> step, bool spellsBytes = false)
        : m_step(std::move(step)), m_spellsBytes(spellsBytes)
    {
    }
    bool spellsBytes() const override { return m_spellsBytes; }
    Pieces decode(Pieces pieces) const override { return m_step(std::move(pieces)); }

private:
    std::function<Pieces(Pieces)> m_step;
    bool m_spellsBytes;
};

DecoderPtr step(std::function<Pieces(Pieces)> function)
{
    return std::make_unique<Step>(std::move(function));
}

/// The clean-up of the WordPiece decoder, which sees a single piece with the blank before it.
std::string cleanPiece(std::string piece)
{
    static const std::pair<const char *, const char *> kRules[]
        = {{" .", "."},   {" ?", "?"},           {" !", "!"},   {" ,", ","},     {" ' ", "'"},   {" n't", "n't"},
           {" 'm", "'m"}, {" do not", " don't"}, {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"}};
    for (const auto &[from, to] : kRules)
        piece = replaced(piece, from, to);
    return piece;
}

DecoderPtr makeWordPieceDecoder(const Part &part)
{
    const std::string prefix = part.text("prefix", "##");
    return step([prefix, cleanUp = part.flag("cleanup", true)](Pieces pieces) {
        for (std::size_t i = 0; i < pieces.size(); ++i) {
            if (i > 0 && pieces[i].starts_with(prefix))
                pieces[i].erase(0, prefix.size());
            else if (i > 0)
                pieces[i].insert(0, " ");
            if (cleanUp)
                pieces[i] = cleanPiece(std::move(pieces[i]));
        }
        return pieces;
    });
}

DecoderPtr makeByteLevelDecoder(const Part &)
{
    const auto decode = [](const Pieces &pieces) {
        std::string bytes;
        for (const std::string &piece : pieces)
            bytes += bytesOfPiece(piece);
        return Pieces{repairedUtf8(bytes)};
    };
    return std::make_unique<Step>(decode, true);
}

DecoderPtr makeMetaspaceDecoder(const Part &part)
{
    return step([settings = readMetaspace(part)](Pieces pieces) {
        const bool isPrefixed = settings.prepend != MetaspaceSettings::Prepend::Never;
        for (std::size_t i = 0; i < pieces.size(); ++i)
            pieces[i] = replaced(pieces[i], settings.mark, i == 0 && isPrefixed ? "" : " ");
        return pieces;
    });
}

DecoderPtr makeBpeDecoder(const Part &part)
{
    const std::string suffix = part.text("suffix", "</w>");
    if (suffix.empty())
        part.fail("\"suffix\" is empty");
    return step([suffix](Pieces pieces) {
        for (std::size_t i = 0; i < pieces.size(); ++i)
            pieces[i] = replaced(pieces[i], suffix, i + 1 == pieces.size() ? "" : " ");
        return pieces;
    });
}

DecoderPtr makeReplaceDecoder(const Part &part)
{
    constexpr std::size_t kLongestContent = 64;
    if (part.text("content").size() > kLongestContent)
        part.fail("\"content\" is unreasonably long");
    return step([pattern = Pattern::fromJson(part, "pattern"), content = part.text("content")](Pieces pieces) {
        for (std::string &piece : pieces) {
            try {
                piece = replaced(piece, pattern, content);
            } catch (const Failure &) {
                // An expression that takes for ever is no honest decoder either; the piece stays as it is.
            }
        }
        return pieces;
    });
}

DecoderPtr makeFuse(const Part &)
{
    return step([](const Pieces &pieces) { return Pieces{joined(pieces)}; });
}

DecoderPtr makeStripDecoder(const Part &part)
{
    const std::string content = part.text("content");
    if (content.empty())
        part.fail("\"content\" is empty");
    return step([content, start = part.number("start", 0), stop = part.number("stop", 0)](Pieces pieces) {
        for (std::string &piece : pieces) {
            for (std::int64_t i = 0; i < start && piece.starts_with(content); ++i)
                piece.erase(0, content.size());
            for (std::int64_t i = 0; i < stop && piece.ends_with(content); ++i)
                piece.resize(piece.size() - content.size());
        }
        return pieces;
    });
}

/// The byte of a piece such as <0x0A>, -1 for others.
int byteOf(const std::string &piece)
{
    if (piece.size() != 6 || !piece.starts_with("<0x") || !piece.ends_with('>')
        || piece.find_first_not_of("0123456789abcdefABCDEF", 3) != 5)
        return -1;
    return std::stoi(piece.substr(3, 2), nullptr, 16);
}

DecoderPtr makeByteFallback(const Part &)
{
    return step([](const Pieces &pieces) {
        Pieces result;
        std::string bytes;
        const auto flush = [&] {
            // One mark per byte where they are no text.
            const std::string repaired = repairedUtf8(bytes);
            if (repaired == bytes && !bytes.empty())
                result.push_back(bytes);
            else
                result.insert(result.end(), bytes.size(), "\uFFFD");
            bytes.clear();
        };
        for (const std::string &piece : pieces) {
            if (const int byte = byteOf(piece); byte >= 0) {
                bytes += static_cast<char>(byte);
                continue;
            }
            flush();
            result.push_back(piece);
        }
        flush();
        return result;
    });
}

DecoderPtr makeSequence(const Part &part)
{
    std::vector<std::shared_ptr<Decoder>> members;
    for (const Part &member : part.list("decoders"))
        members.push_back(makeDecoder(member));
    const auto decode = [members](Pieces pieces) {
        const std::size_t limit = 1024 + 64 * sizeOf(pieces);
        for (const auto &member : members) {
            Pieces next = member->decode(pieces);
            // Replacements that double a text again and again are no honest decoder.
            if (sizeOf(next) > limit)
                break;
            pieces = std::move(next);
        }
        return pieces;
    };
    const bool spellsBytes = std::any_of(members.begin(), members.end(), [](auto &m) { return m->spellsBytes(); });
    return std::make_unique<Step>(decode, spellsBytes);
}

constexpr std::pair<const char *, DecoderPtr (*)(const Part &)> kDecoders[] = {
    {"Sequence", makeSequence},
    {"WordPiece", makeWordPieceDecoder},
    {"ByteLevel", makeByteLevelDecoder},
    {"Metaspace", makeMetaspaceDecoder},
    {"BPEDecoder", makeBpeDecoder},
    {"Replace", makeReplaceDecoder},
    {"Fuse", makeFuse},
    {"Strip", makeStripDecoder},
    {"ByteFallback", makeByteFallback},
};

} // namespace

DecoderPtr makeDecoder(const Part &part)
{
    return factoryOf(part, kDecoders)(part);
}

DecoderPtr makeJoiningDecoder()
{
    return step([](Pieces pieces) {
        for (std::size_t i = 1; i < pieces.size(); ++i)
            pieces[i].insert(0, " ");
        return pieces;
    });
}

} // namespace headscope::pipeline

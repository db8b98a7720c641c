#include "core/tokenize/fairseqtokenizer.h"
#include "tests/fuzz/fuzzing.h"

#include <fstream>
#include <string>

using namespace headscope;

namespace {

constexpr const char *kTexts[]
    = {"", " ", "a b@@ c</s>", "aaaa bbbb@@ \u4e2d\u56fd <unk> <s>\u00a0x", "l o w lower lowest"};

void write(const std::filesystem::path &file, std::string_view bytes)
{
    std::ofstream(file, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

void checkTexts(const Tokenizer &tokenizer)
{
    for (const std::string_view text : kTexts) {
        const auto encoded = tokenizer.encodeSource(text);
        if (!encoded.isOk())
            continue;
        const Encoding &encoding = encoded.value();
        const std::size_t size = encoding.ids.size();
        fuzzing::require(encoding.pieces.size() == size && encoding.words.size() == size
                             && encoding.spans.size() == size,
                         "all lists have the same length");
        for (std::size_t i = 0; i < size; ++i) {
            fuzzing::require(encoding.ids[i] >= 0 && encoding.ids[i] < tokenizer.vocabularySize(),
                             "ids are of the vocabulary");
            fuzzing::require(encoding.words[i] < 0 || encoding.spans[i].end <= text.size(), "spans are in the text");
        }
        (void)tokenizer.decode(encoding.ids);
    }
}

} // namespace

/// The first byte says what the rest is: a dictionary of fairseq's (dict.LANGUAGE.txt), codes of byte pairs, or FSMT's
/// vocabulary.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    static const fuzzing::Folder folder;
    if (size == 0)
        return 0;
    const std::string_view text = fuzzing::textOf(data + 1, size - 1);
    const int kind = data[0] % 3;
    folder.empty();
    if (kind == 2) {
        write(folder.path() / "vocab-src.json", text);
        write(folder.path() / "vocab-tgt.json", text);
        write(folder.path() / "merges.txt", "#version: 0.2\nl o\nlo w</w>\n");
    } else {
        write(folder.path() / "dict.aa.txt", kind == 0 ? text : "l@@ 5\now 4\nlow 3\na 2\n");
        if (kind == 1)
            write(folder.path() / "bpecodes", text);
    }
    const TokenizerFiles files{.folder = folder.path(), .config = {{"langs", {"aa", "aa"}}}};
    const auto opened = openFairseqTokenizer(files);
    if (opened.isOk())
        checkTexts(*opened.value());
    else
        fuzzing::require(!opened.error().message.empty(), "a refusal says why");
    return 0;
}

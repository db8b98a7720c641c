#include "core/tokenize/trainmarian.h"

#include "core/formats/atomicfile.h"

#include <nlohmann/json.hpp>

namespace headscope {
namespace {

/// SentencePiece's own special pieces have no place in Marian's vocabulary.
bool isMarianPiece(const std::string &piece)
{
    return piece != "<unk>" && piece != "<s>" && piece != "</s>" && piece != "<pad>";
}

class VocabularyJson
{
public:
    VocabularyJson()
    {
        add("</s>");
        add("<unk>");
    }
    void add(const std::string &piece)
    {
        if (!m_json.contains(piece))
            m_json[piece] = m_json.size();
    }
    Result<Done> addModel(const std::string &bytes, const std::string &name)
    {
        const auto model = SentencePiece::fromBytes(bytes, name);
        if (!model.isOk())
            return model.error();
        for (int id = 0; id < model.value().pieceCount(); ++id) {
            if (const std::string piece = model.value().piece(id); isMarianPiece(piece))
                add(piece);
        }
        return Done{};
    }
    const nlohmann::ordered_json &json() const { return m_json; }

private:
    nlohmann::ordered_json m_json = nlohmann::ordered_json::object();
};

} // namespace

Result<std::int64_t> trainMarianTokenizer(const std::filesystem::path &folder, std::span<const std::string> source,
                                          std::span<const std::string> target, const SentencePieceTraining &settings,
                                          bool joint)
{
    std::vector<std::string> all(source.begin(), source.end());
    if (joint)
        all.insert(all.end(), target.begin(), target.end());
    const auto sourceModel = SentencePiece::train(all, settings);
    if (!sourceModel.isOk())
        return sourceModel.error();
    const auto targetModel = joint ? sourceModel : SentencePiece::train(target, settings);
    if (!targetModel.isOk())
        return targetModel.error();
    VocabularyJson vocabulary;
    for (const auto &[bytes, name] :
         {std::pair(&sourceModel.value(), "source.spm"), std::pair(&targetModel.value(), "target.spm")}) {
        const auto added = vocabulary.addModel(*bytes, name);
        if (!added.isOk())
            return added.error();
        const auto written = writeFileAtomically(folder / name, *bytes);
        if (!written.isOk())
            return written.error();
    }
    vocabulary.add("<pad>");
    const nlohmann::ordered_json config{{"tokenizer_class", "MarianTokenizer"},
                                        {"separate_vocabs", false},
                                        {"eos_token", "</s>"},
                                        {"unk_token", "<unk>"},
                                        {"pad_token", "<pad>"},
                                        {"clean_up_tokenization_spaces", false},
                                        {"model_max_length", 512}};
    const auto configWritten = writeFileAtomically(folder / "tokenizer_config.json", config.dump(1) + "\n");
    if (!configWritten.isOk())
        return configWritten.error();
    const auto written = writeFileAtomically(folder / "vocab.json", vocabulary.json().dump(1) + "\n");
    if (!written.isOk())
        return written.error();
    return static_cast<std::int64_t>(vocabulary.json().size());
}

} // namespace headscope

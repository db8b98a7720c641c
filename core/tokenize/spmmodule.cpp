#include "core/tokenize/spmmodule.h"

#include <sentencepiece_processor.h>
#include <sentencepiece_trainer.h>

#include <cstring>
#include <exception>
#include <memory>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

struct HeadscopeSpmModel
{
    sentencepiece::SentencePieceProcessor processor;
};

namespace {

/// Runs `work`, which returns a Status, and keeps every exception on this side.
template<typename Work>
int contained(HeadscopeSpmSink sink, void *context, Work &&work) noexcept
{
    const auto fail = [&](const char *why) {
        sink(context, why, std::strlen(why), -1);
        return 1;
    };
    try {
        const sentencepiece::util::Status status = work();
        return status.ok() ? 0 : fail(status.error_message());
    } catch (const std::exception &error) {
        return fail(error.what());
    } catch (...) {
        return fail("unknown exception");
    }
}

HeadscopeSpmModel *load(const char *bytes, std::size_t size, HeadscopeSpmSink error, void *context)
{
    std::unique_ptr<HeadscopeSpmModel> model;
    const int failed = contained(error, context, [&] {
        model = std::make_unique<HeadscopeSpmModel>();
        return model->processor.LoadFromSerializedProto({bytes, size});
    });
    return failed ? nullptr : model.release();
}

void unload(HeadscopeSpmModel *model)
{
    delete model;
}

int pieceCount(const HeadscopeSpmModel *model)
{
    return model->processor.GetPieceSize();
}

int encode(const HeadscopeSpmModel *model, const char *text, std::size_t size, HeadscopeSpmPieceSink pieces,
           HeadscopeSpmSink error, void *context)
{
    return contained(error, context, [&] {
        sentencepiece::ImmutableSentencePieceText encoded;
        const auto status = model->processor.Encode({text, size}, encoded.mutable_proto());
        if (status.ok()) {
            for (const auto &piece : encoded.pieces())
                pieces(context, piece.piece().data(), piece.piece().size(), model->processor.PieceToId(piece.piece()),
                       piece.begin(), piece.end());
        }
        return status;
    });
}

int decode(const HeadscopeSpmModel *model, const char *const *pieces, const std::size_t *sizes, std::size_t count,
           HeadscopeSpmSink sink, void *context)
{
    return contained(sink, context, [&] {
        std::vector<std::string> texts;
        for (std::size_t i = 0; i < count; ++i)
            texts.emplace_back(pieces[i], sizes[i]);
        std::string text;
        const auto status = model->processor.Decode(texts, &text);
        if (status.ok())
            sink(context, text.data(), text.size(), -1);
        return status;
    });
}

int piece(const HeadscopeSpmModel *model, int id, HeadscopeSpmSink sink, void *context)
{
    return contained(sink, context, [&] {
        const std::string &text = model->processor.IdToPiece(id);
        sink(context, text.data(), text.size(), id);
        return sentencepiece::util::Status();
    });
}

int idOf(const HeadscopeSpmModel *model, const char *piece, std::size_t size)
{
    return model->processor.PieceToId({piece, size});
}

class Sentences final : public sentencepiece::SentenceIterator
{
public:
    Sentences(HeadscopeSpmSource source, void *context) : m_source(source), m_context(context) { Next(); }

    bool done() const override { return m_done; }
    void Next() override
    {
        const char *text = nullptr;
        std::size_t size = 0;
        m_done = m_source(m_context, &text, &size) == 0;
        if (!m_done)
            m_text.assign(text, size);
    }
    const std::string &value() const override { return m_text; }
    sentencepiece::util::Status status() const override { return {}; }

private:
    HeadscopeSpmSource m_source;
    void *m_context;
    std::string m_text;
    bool m_done = false;
};

int train(const char *options, HeadscopeSpmSource source, void *sourceContext, HeadscopeSpmSink sink, void *context)
{
    return contained(sink, context, [&] {
        // As a map: the form of a command line is logged before a log level in it counts.
        std::unordered_map<std::string, std::string> settings;
        std::istringstream lines(options);
        for (std::string line; std::getline(lines, line);)
            settings[line.substr(0, line.find('='))] = line.substr(line.find('=') + 1);
        Sentences sentences(source, sourceContext);
        std::string model;
        const auto status = sentencepiece::SentencePieceTrainer::Train(settings, &sentences, &model);
        if (status.ok())
            sink(context, model.data(), model.size(), -1);
        return status;
    });
}

} // namespace

extern "C" __attribute__((visibility("default"))) const HeadscopeSpmApi *headscope_spm_api()
{
    static constexpr HeadscopeSpmApi kApi
        = {kHeadscopeSpmVersion, load, unload, pieceCount, encode, decode, piece, idOf, train};
    return &kApi;
}

#pragma once

// The C interface of the module headscope_spm.so, in which sentencepiece lives. No exception crosses it.

#include <cstddef>

extern "C" {

inline constexpr int kHeadscopeSpmVersion = 3;

struct HeadscopeSpmModel;

/// Receives a text; `id` is its piece number where there is one. Must not throw.
using HeadscopeSpmSink = void (*)(void *context, const char *text, std::size_t size, int id);

/// Receives a piece of a text, which the text's bytes begin … end − 1 stand for. Must not throw.
using HeadscopeSpmPieceSink
    = void (*)(void *context, const char *piece, std::size_t size, int id, std::size_t begin, std::size_t end);

/// Gives the next sentence, or returns 0 when there is none left. The text stays valid until the next call.
using HeadscopeSpmSource = int (*)(void *context, const char **text, std::size_t *size);

/// Functions that can fail return 0 on success and give the reason to the sink otherwise.
struct HeadscopeSpmApi
{
    int version;
    /// nullptr on failure.
    HeadscopeSpmModel *(*load)(const char *bytes, std::size_t size, HeadscopeSpmSink error, void *context);
    void (*unload)(HeadscopeSpmModel *model);
    int (*pieceCount)(const HeadscopeSpmModel *model);
    /// One call of `pieces` per piece.
    int (*encode)(const HeadscopeSpmModel *model, const char *text, std::size_t size, HeadscopeSpmPieceSink pieces,
                  HeadscopeSpmSink error, void *context);
    /// One call of the sink with the whole text.
    int (*decode)(const HeadscopeSpmModel *model, const char *const *pieces, const std::size_t *sizes,
                  std::size_t count, HeadscopeSpmSink sink, void *context);
    /// The text of a piece; precondition: 0 ≤ id < pieceCount.
    int (*piece)(const HeadscopeSpmModel *model, int id, HeadscopeSpmSink sink, void *context);
    /// The number of a piece, that of the unknown piece when there is no such piece.
    int (*idOf)(const HeadscopeSpmModel *model, const char *piece, std::size_t size);
    /// Learns a model. `options` are those of spm_train, a line "name=value" each; one call of the sink with the
    /// model's bytes.
    int (*train)(const char *options, HeadscopeSpmSource source, void *sourceContext, HeadscopeSpmSink sink,
                 void *context);
};

using HeadscopeSpmEntry = const HeadscopeSpmApi *(*)();
}

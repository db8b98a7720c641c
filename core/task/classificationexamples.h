#pragma once

#include "core/data/dataset.h"
#include "core/data/labels.h"
#include "core/model/spec.h"
#include "core/model/transformer.h"
#include "core/tokenize/tokenizer.h"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

namespace headscope {

/// Texts and text pairs as a classifier takes them: ids with special tokens, checked against the vocabulary, cut to the
/// model's positions; and their labels as the model understands them.
struct ClassificationExamples
{
    struct Row
    {
        std::vector<std::int64_t> ids;
        std::vector<std::int64_t> typeIds;
        std::vector<int> segments; ///< as in Encoding
    };

    std::vector<Row> rows;
    LabelReading labels;
    bool pairs = false;
    std::vector<std::string> warnings;

    std::int64_t size() const { return std::ssize(rows); }
    const Row &row(std::int64_t id) const { return rows[static_cast<std::size_t>(id)]; }
    std::int64_t length(std::int64_t id) const { return std::ssize(row(id).ids); }

    /// `tokenizer` may be null when every example brings its ids. Precondition: spec.classifier.
    static Result<ClassificationExamples> make(const TransformerSpec &spec, const Tokenizer *tokenizer,
                                               const Dataset &dataset, const JobControl &control);

    TokenBatch batch(const std::vector<std::int64_t> &ids, const Transformer &model) const;
    /// [B, S] bool: tokens of a text, neither padding nor special.
    torch::Tensor realTokens(const std::vector<std::int64_t> &ids, const torch::Device &device) const;
};

} // namespace headscope

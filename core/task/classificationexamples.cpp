#include "core/task/classificationexamples.h"

#include "core/task/exampleids.h"

#include <torch/torch.h>

#include <algorithm>

namespace headscope {
namespace {

using Row = ClassificationExamples::Row;

/// A row that brings its ids. Which of them are special only a tokenizer knows.
Row givenRow(const Example &example, const TransformerSpec &spec, const Tokenizer *tokenizer, bool &cut)
{
    Row row{example.inputIds, example.tokenTypeIds, {}};
    const auto longest = static_cast<std::size_t>(spec.maxPositions);
    if (row.ids.size() > longest) {
        const std::int64_t end = row.ids.back();
        row.ids.resize(longest);
        row.ids.back() = end;
        cut = true;
    }
    row.typeIds.resize(row.ids.size(), 0);
    for (std::size_t i = 0; i < row.ids.size(); ++i)
        row.segments.push_back(tokenizer && tokenizer->isSpecial(row.ids[i]) ? -1 : row.typeIds[i] == 0 ? 0 : 1);
    return row;
}

Result<Row> encodedRow(const Example &example, const TransformerSpec &spec, const Tokenizer *tokenizer, bool pairs,
                       bool &cut)
{
    if (!tokenizer)
        return tokenizerMissing();
    const auto second = pairs ? std::optional<std::string_view>(example.pair) : std::nullopt;
    auto encoding = tokenizer->encodePair(example.source, second, static_cast<std::size_t>(spec.maxPositions));
    if (!encoding.isOk())
        return encoding.error();
    cut = encoding.value().cut;
    return Row{std::move(encoding.value().ids), std::move(encoding.value().typeIds),
               std::move(encoding.value().segments)};
}

} // namespace

Result<ClassificationExamples> ClassificationExamples::make(const TransformerSpec &spec, const Tokenizer *tokenizer,
                                                            const Dataset &dataset, const JobControl &control)
{
    auto labels = readLabels(dataset, spec.classifier->problem, spec.classifier->labels);
    if (!labels.isOk())
        return labels.error();
    ClassificationExamples examples;
    examples.labels = std::move(labels).value();
    examples.warnings = examples.labels.warnings;
    examples.pairs = std::ranges::any_of(dataset.examples, [](const Example &e) { return !e.pair.empty(); });
    std::int64_t cutRows = 0;
    for (std::size_t i = 0; i < dataset.examples.size(); ++i) {
        if (i % 64 == 0)
            control.checkpoint();
        const Example &example = dataset.examples[i];
        bool cut = false;
        auto row = example.inputIds.empty() ? encodedRow(example, spec, tokenizer, examples.pairs, cut)
                                            : givenRow(example, spec, tokenizer, cut);
        if (!row.isOk())
            return badInput(dataset.name + ", example " + std::to_string(i + 1) + ": " + row.error().message);
        cutRows += cut ? 1 : 0;
        if (spec.tokenTypes == 0) // DistilBERT's tokenizer makes them all the same
            std::ranges::fill(row.value().typeIds, 0);
        for (const auto &checked : {checkIds(row.value().ids, spec.encoder.vocabulary, dataset, i),
                                    checkIds(row.value().typeIds, std::max<std::int64_t>(1, spec.tokenTypes), dataset, i)}) {
            if (!checked.isOk())
                return checked.error();
        }
        examples.rows.push_back(std::move(row).value());
    }
    if (cutRows > 0)
        examples.warnings.push_back(cutNote(dataset, cutRows, "texts", spec.maxPositions));
    return examples;
}

TokenBatch ClassificationExamples::batch(const std::vector<std::int64_t> &ids, const Transformer &model) const
{
    std::vector<std::vector<std::int64_t>> tokens;
    std::vector<std::vector<std::int64_t>> types;
    for (std::int64_t id : ids) {
        tokens.push_back(row(id).ids);
        types.push_back(row(id).typeIds);
    }
    TokenBatch batch = TokenBatch::pad(tokens, model.spec().generation.padId, model.device());
    if (model.spec().tokenTypes > 0)
        batch.typeIds = TokenBatch::pad(types, 0, model.device()).ids;
    return batch;
}

torch::Tensor ClassificationExamples::realTokens(const std::vector<std::int64_t> &ids, const torch::Device &device) const
{
    std::int64_t width = 0;
    for (std::int64_t id : ids)
        width = std::max(width, length(id));
    auto real = torch::zeros({std::ssize(ids), width}, torch::kBool);
    auto *out = real.data_ptr<bool>();
    for (std::int64_t id : ids) {
        const auto &segments = row(id).segments;
        std::ranges::transform(segments, out, [](int segment) { return segment >= 0; });
        out += width;
    }
    return real.to(device);
}

} // namespace headscope

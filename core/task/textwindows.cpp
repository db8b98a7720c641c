#include "core/task/textwindows.h"

#include "core/data/windows.h"
#include "core/task/exampleids.h"

namespace headscope {
namespace {

/// Whether it is read as it is, however long.
bool isWhole(const Example &example)
{
    return !example.worse.empty() || !example.corrupt.empty() || !example.choices.empty() || !example.accepted.empty();
}

/// One row of a long text.
Example windowOf(const Example &text, const TokenWindow &window, const Tokenizer *tokenizer)
{
    Example row;
    row.source = tokenizer ? tokenizer->decode(window.ids) : text.source;
    row.inputIds = window.ids;
    row.contextTokens = window.firstCounted;
    row.textRow = text.textRow;
    return row;
}

/// All tokens of a text of the data set.
Result<std::vector<std::int64_t>> tokensOf(const Dataset &dataset, std::size_t text, const Tokenizer *tokenizer)
{
    const Example &example = dataset.examples[text];
    if (!example.inputIds.empty())
        return example.inputIds;
    if (!tokenizer)
        return tokenizerMissing();
    auto encoding = tokenizer->encodeSource(example.source);
    if (!encoding.isOk())
        return badInput(dataset.name + ", text " + std::to_string(text + 1) + ": " + encoding.error().message);
    return std::move(encoding.value().ids);
}

/// `begunOnce`: texts that begin with the model's first token, which is spelt `start`, and are cut.
void addWindowWarnings(Dataset &dataset, std::int64_t begunOnce, const std::string &start)
{
    if (!dataset.leftOut.empty())
        dataset.warnings.push_back(dataset.name + ": " + std::to_string(dataset.leftOut.size()) + " of "
                                   + std::to_string(dataset.examples.size())
                                   + " texts have at most one token, so nothing in them can be predicted.");
    if (begunOnce > 0)
        dataset.warnings.push_back(
            dataset.name + ": " + std::to_string(begunOnce)
            + " texts are cut into windows, of which only the first begins with \"" + start
            + "\", as the tokenizer begins texts. --window-start bos begins all of them with it.");
}

} // namespace

Result<Dataset> inWindows(Dataset dataset, const TransformerSpec &spec, const Tokenizer *tokenizer,
                          const JobControl &control)
{
    const bool begins = dataset.origin.windowStart == WindowStart::Bos;
    const std::int64_t start = spec.generation.startId;
    // The last token of a window is only predicted, never read, unless the model reads all of them.
    const std::int64_t unread = dataset.origin.windowPredictions == WindowPredictions::All ? 1 : 0;
    const std::int64_t most = spec.maxPositions + unread - (begins ? 1 : 0);
    if (dataset.origin.stride < 0 || dataset.origin.stride > most)
        return usageError("--stride " + std::to_string(dataset.origin.stride) + " is outside of 0 to the "
                          + std::to_string(most) + " tokens of a window.");
    std::vector<Example> rows;
    const auto texts = std::ssize(dataset.examples);
    std::int64_t begunOnce = 0;
    for (std::size_t i = 0; i < dataset.examples.size(); ++i) {
        if (i % 64 == 0)
            control.checkpoint();
        Example &example = dataset.examples[i];
        if (isWhole(example)) {
            rows.push_back(std::move(example));
            continue;
        }
        auto read = tokensOf(dataset, i, tokenizer);
        if (!read.isOk())
            return read.error();
        std::vector<std::int64_t> ids = std::move(read).value();
        const bool hasStart = !ids.empty() && ids.front() == start;
        if (begins && hasStart)
            ids.erase(ids.begin());
        auto windows = cutIntoWindows(ids, {most, dataset.origin.stride, begins ? 0 : 1});
        begunOnce += hasStart && !begins && windows.size() > 1 ? 1 : 0;
        for (TokenWindow &window : windows) {
            if (!begins)
                break;
            window.ids.insert(window.ids.begin(), start);
            ++window.firstCounted;
        }
        if (windows.empty())
            dataset.leftOut.push_back(static_cast<std::int64_t>(i));
        example.textRow = static_cast<std::int64_t>(i);
        if (windows.size() == 1)
            rows.push_back(std::move(example));
        for (std::size_t w = 0; windows.size() > 1 && w < windows.size(); ++w)
            rows.push_back(windowOf(example, windows[w], tokenizer));
    }
    addWindowWarnings(dataset, begunOnce, tokenizer ? tokenizer->pieceText(start) : std::to_string(start));
    if (rows.empty())
        return badInput(dataset.name + " has no text of two tokens or more, so nothing can be predicted.");
    if (dataset.leftOut.empty() && std::ssize(rows) == texts) {
        for (Example &row : rows)
            row.textRow = -1;
    }
    dataset.examples = std::move(rows);
    return dataset;
}

} // namespace headscope

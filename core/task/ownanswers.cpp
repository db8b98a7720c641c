#include "core/task/ownanswers.h"

#include "core/task/pairruns.h"

#include <ATen/core/grad_mode.h>
#include <torch/types.h>

#include <algorithm>
#include <string>
#include <utility>

namespace headscope {

PatchingPairs ownAnswers(const Task &task, const Tokenizer *tokenizer, const HeadGates &gates,
                         const JobControl &control)
{
    const torch::NoGradGuard noGrad;
    const Transformer &model = task.model();
    const TransformerSpec &spec = model.spec();
    const bool classifies = spec.classifier && spec.classifier->problem == ProblemType::SingleLabel;
    if (!classifies && (spec.encoder || spec.classifier))
        throw Failure(badInput("Without pairs this is for classifiers that give every text one label, and for causal "
                               "language models: give a table with the columns clean, corrupt, answer and "
                               "wrong_answer."));
    if (classifies && spec.classifier->labels.size() < 2)
        throw Failure(badInput("The model has one label: there is no other answer."));
    PatchingPairs pairs;
    pairs.labels = classifies;
    const Examples &examples = task.examples();
    for (std::int64_t id = 0; id < task.size(); ++id) {
        PatchingPairs::Text text;
        if (spec.encoder)
            text.source = examples.source(id);
        if (!examples.types.empty())
            text.types = examples.types[static_cast<std::size_t>(id)];
        if (spec.decoder)
            text.prefix = classifies ? examples.prefix(id) : examples.wholeText(id, spec.maxPositions);
        for (const std::int64_t token : spec.encoder ? text.source : text.prefix)
            text.pieces.push_back(tokenizer ? tokenizer->pieceText(token) : std::to_string(token));
        pairs.clean.push_back(text);
        pairs.corrupt.push_back(std::move(text));
    }
    constexpr std::int64_t kTogether = 16;
    for (std::int64_t first = 0; first < task.size(); first += kTogether) {
        control.checkpoint();
        std::vector<std::int64_t> some;
        for (std::int64_t id = first; id < std::min(task.size(), first + kTogether); ++id)
            some.push_back(id);
        const auto read = readOfPairs(model, pairs, some, true, gates, nullptr, control);
        const auto best = std::get<1>(answerLogits(model, pairs, read).to(torch::kFloat64).topk(2, -1)).cpu();
        for (std::int64_t row = 0; row < std::ssize(some); ++row) {
            pairs.answers.push_back(best[row][0].item<std::int64_t>());
            pairs.wrongAnswers.push_back(best[row][1].item<std::int64_t>());
        }
    }
    const auto spelt = [&](std::int64_t answer) {
        return classifies ? spec.classifier->labels[static_cast<std::size_t>(answer)]
             : tokenizer  ? tokenizer->pieceText(answer)
                          : std::to_string(answer);
    };
    for (std::size_t i = 0; i < pairs.answers.size(); ++i)
        pairs.shown.emplace_back(spelt(pairs.answers[i]), spelt(pairs.wrongAnswers[i]));
    return pairs;
}

} // namespace headscope

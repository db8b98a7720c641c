#include "core/task/continuations.h"

#include "core/base/replaceall.h"
#include "core/base/result.h"
#include "core/task/generationrunner.h"
#include "core/tensor/indextensor.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>

namespace headscope {
namespace {

/// The texts of Decoding::stop.
std::vector<std::string> stopTextsOf(const std::string &stop)
{
    if (stop.empty())
        return {"\n"};
    if (stop.front() == '[') {
        const nlohmann::json list = nlohmann::json::parse(stop, nullptr, false);
        const auto isText
            = [](const nlohmann::json &one) { return one.is_string() && !one.get<std::string>().empty(); };
        if (!list.is_array() || !std::ranges::all_of(list, isText))
            throw Failure(usageError("--stop " + stop + R"(: a list of texts is written ["\n", "."].)"));
        return list.get<std::vector<std::string>>();
    }
    std::string text = stop;
    replaceAll(text, "\\n", "\n");
    return {text};
}

} // namespace

GenerationSettings continuationSettings(const TransformerSpec &spec, const Decoding &decoding,
                                        const std::shared_ptr<const Tokenizer> &tokenizer)
{
    GenerationSettings settings = decodingSettings(spec, decoding);
    requireComputable(settings);
    if (settings.newTokens && *settings.newTokens >= spec.maxPositions)
        throw Failure(usageError(
            fmt::format("{} new tokens leave no room for a prompt: the model has {} positions. Ask for fewer "
                        "(--max-new-tokens).",
                        *settings.newTokens, spec.maxPositions)));
    settings.stopTexts = stopTextsOf(decoding.stop);
    if (tokenizer && !settings.stopTexts.empty())
        settings.isStopped = [tokenizer, texts = settings.stopTexts](std::span<const std::int64_t> said) {
            const std::string text = tokenizer->decode({said.begin(), said.end()});
            return std::ranges::any_of(texts,
                                       [&](const std::string &stop) { return text.find(stop) != std::string::npos; });
        };
    return settings;
}

GenerationSettings textContinuationSettings(const TransformerSpec &spec, Decoding decoding,
                                            const std::shared_ptr<const Tokenizer> &tokenizer)
{
    if (decoding.stop.empty())
        decoding.stop = "[]";
    return continuationSettings(spec, decoding, tokenizer);
}

std::vector<std::int64_t> cutOnTheLeft(std::span<const std::int64_t> prompt, const TransformerSpec &spec,
                                       const GenerationSettings &settings)
{
    const std::int64_t room = spec.maxPositions - settings.newTokens.value_or(1);
    const auto kept = prompt.last(static_cast<std::size_t>(std::min(std::ssize(prompt), room)));
    return {kept.begin(), kept.end()};
}

std::vector<Generated> continuations(const Transformer &model, const Prompts &prompts,
                                     const GenerationSettings &settings, const HeadGates &gates, bool withScores,
                                     const JobControl &control)
{
    if (settings.beams == 1)
        return generate(model, prompts, nullptr, settings, gates, withScores, control);
    // Beam search counts lengths from the beginning: prompts of one length go together.
    std::map<std::size_t, std::vector<std::int64_t>> byLength;
    for (std::size_t i = 0; i < prompts.size(); ++i)
        byLength[prompts[i].size()].push_back(static_cast<std::int64_t>(i));
    std::vector<Generated> all(prompts.size());
    for (const auto &[length, places] : byLength) {
        GenerationSettings own = settings;
        if (settings.newTokens)
            own.maxLength = static_cast<std::int64_t>(length) + *settings.newTokens;
        Prompts some;
        for (const std::int64_t place : places)
            some.push_back(prompts[static_cast<std::size_t>(place)]);
        auto found = generate(model, some, nullptr, own, gates.selectRows(indexTensor(places, model.device())),
                              withScores, control);
        for (std::size_t i = 0; i < places.size(); ++i)
            all[static_cast<std::size_t>(places[i])] = std::move(found[i]);
    }
    return all;
}

std::string saidText(const std::vector<std::int64_t> &tokens, const Tokenizer *tokenizer,
                     const GenerationSettings &settings)
{
    std::string text = tokenizer ? tokenizer->decode(tokens) : idsAsText(tokens);
    for (const std::string &stop : settings.stopTexts)
        text.resize(std::min(text.size(), text.find(stop)));
    return text;
}

} // namespace headscope

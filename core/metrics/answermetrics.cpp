#include "core/metrics/answermetrics.h"

#include "core/metrics/metrictext.h"
#include "core/metrics/undefined.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace headscope {
namespace {

std::string_view stripped(std::string_view text)
{
    const std::vector<std::string_view> words = splitOnSpace(text);
    if (words.empty())
        return {};
    return {words.front().data(), words.back().data() + words.back().size()};
}

std::string asItIs(std::string_view text)
{
    return std::string(stripped(text));
}

std::string inLowerCase(std::string_view text)
{
    return lowerCase(stripped(text));
}

/// Without the characters of Python's string.punctuation.
std::string withoutPunctuation(std::string_view text)
{
    std::string kept = inLowerCase(text);
    std::erase_if(kept, [](char c) {
        return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
    });
    return kept;
}

struct AcceptedAnswers final : PreparedReference
{
    std::vector<std::string> forms;
};

/// Statistics: right, 1.
class AnswerMetric final : public TextMetric
{
public:
    using Form = std::string (*)(std::string_view);
    using Fits = bool (*)(const std::string &text, const std::string &answer);

    AnswerMetric(std::string name, std::string signature, Form formOf, Fits fits)
        : m_name(std::move(name)), m_signature(std::move(signature)), m_formOf(formOf), m_fits(fits)
    {
    }

    std::string name() const override { return m_name; }
    std::string signature() const override { return m_signature; }
    std::size_t statisticsSize() const override { return 2; }
    bool isRightOrWrong() const override { return true; }
    double score(std::span<const double> sums) const override { return sums[1] > 0 ? sums[0] / sums[1] : kUndefined; }
    Interval possible() const override { return {0, 1}; }
    std::unique_ptr<PreparedReference> prepare(std::span<const std::string_view> references) const override
    {
        auto accepted = std::make_unique<AcceptedAnswers>();
        for (const std::string_view reference : references)
            accepted->forms.push_back(m_formOf(reference));
        return accepted;
    }
    void statistics(std::string_view hypothesis, const PreparedReference &reference,
                    std::span<double> out) const override
    {
        const std::string text = m_formOf(hypothesis);
        const auto &accepted = static_cast<const AcceptedAnswers &>(reference).forms;
        out[0] = std::ranges::any_of(accepted, [&](const std::string &answer) { return m_fits(text, answer); });
        out[1] = 1;
    }

private:
    std::string m_name;
    std::string m_signature;
    Form m_formOf;
    Fits m_fits;
};

bool isSame(const std::string &text, const std::string &answer)
{
    return text == answer;
}

bool isInside(const std::string &text, const std::string &answer)
{
    return text.find(answer) != std::string::npos;
}

} // namespace

std::vector<std::unique_ptr<TextMetric>> answerMetrics(const std::string &setting)
{
    std::vector<std::unique_ptr<TextMetric>> metrics;
    const auto add = [&](const char *name, const char *by, AnswerMetric::Form formOf, AnswerMetric::Fits fits) {
        metrics.push_back(std::make_unique<AnswerMetric>(
            name, fmt::format("answers|{}{}{}|impl:headscope", by, setting.empty() ? "" : "|", setting), formOf, fits));
    };
    add("exact_match", "text:stripped", asItIs, isSame);
    add("exact_match_normalized", "text:lower case, no punctuation", withoutPunctuation, isSame);
    add("contains", "text:lower case", inLowerCase, isInside);
    return metrics;
}

} // namespace headscope

#include "core/exporting/csv.h"
#include "core/exporting/csvwriter.h"

#include <limits>
#include <string>

namespace headscope {
namespace {

constexpr double kEmptyField = std::numeric_limits<double>::quiet_NaN();

void addAnswers(CsvWriter &csv, const char *without, double share, const Interval &interval, double p)
{
    csv << "answers"
        << ""
        << ""
        << ""
        << "" << without << share << interval.low << interval.high << p << kEmptyField << ""
        << "" << kEmptyField << kEmptyField << kEmptyField << kEmptyField;
    csv.endLine();
}

} // namespace

std::string toCsv(const RetrievalResult &result)
{
    CsvWriter csv;
    csv.header({"what", "head", "kind", "layer", "head_number", "without", "score", "ci_low", "ci_high", "p",
                "p_adjusted", "label", "top", "steps", "question_score", "question_low", "question_high"});
    for (const HeadRetrieval &head : result.heads) {
        csv << "head" << toText(head.head) << headKindName(head.head.kind) << head.head.layer << head.head.head << ""
            << head.score.value_or(kEmptyField) << head.interval.low << head.interval.high << head.p << head.pAdjusted
            << (head.isRetrievalHead ? "yes" : "no") << (head.isTop ? "yes" : "no") << head.steps.value_or(kEmptyField)
            << head.question << head.questionInterval.low << head.questionInterval.high;
        csv.endLine();
    }
    addAnswers(csv, "no heads", result.answers.share, result.answers.interval, kEmptyField);
    if (const auto &masking = result.masking) {
        addAnswers(csv, "top heads", masking->top.share, masking->top.interval, kEmptyField);
        addAnswers(csv, "random heads", masking->random.share, masking->random.interval, kEmptyField);
        addAnswers(csv, "top minus random", masking->difference.difference, masking->difference.interval,
                   masking->difference.p);
    }
    return csv.text();
}

} // namespace headscope

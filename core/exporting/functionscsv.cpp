#include "core/exporting/csv.h"
#include "core/exporting/csvwriter.h"

#include <cstddef>
#include <limits>
#include <string>

namespace headscope {
namespace {

constexpr double kEmptyField = std::numeric_limits<double>::quiet_NaN();

void addFunctionHead(CsvWriter &csv, const HeadFunction &head, const std::string &task, double effect)
{
    const bool ofAll = task.empty();
    csv << "head" << toText(head.head) << headKindName(head.head.kind) << head.head.layer << head.head.head << task
        << "" << effect << kEmptyField << (ofAll ? head.interval.low : kEmptyField)
        << (ofAll ? head.interval.high : kEmptyField) << (ofAll ? head.p : kEmptyField)
        << (ofAll ? head.discoveryP : kEmptyField)
        << (!ofAll                ? ""
            : head.isFunctionHead ? "yes"
                                  : "no");
    csv.endLine();
}

void addVectorLayer(CsvWriter &csv, int layer, const char *prompts, const std::string &task, const VectorEffect &effect,
                    double accuracy)
{
    const bool ofAll = task.empty();
    csv << "layer"
        << "" << headKindName(HeadKind::Decoder) << layer << "" << task << prompts
        << (ofAll ? effect.change : kEmptyField) << accuracy << (ofAll ? effect.interval.low : kEmptyField)
        << (ofAll ? effect.interval.high : kEmptyField) << (ofAll ? effect.p : kEmptyField)
        << (ofAll ? effect.discoveryP : kEmptyField) << "";
    csv.endLine();
}

void addFunctionMasking(CsvWriter &csv, const char *prompts, double effect, const PromptAccuracy &score, double p)
{
    csv << "masking"
        << ""
        << ""
        << ""
        << ""
        << "" << prompts << effect << score.accuracy << score.interval.low << score.interval.high << p << kEmptyField
        << "";
    csv.endLine();
}

} // namespace

std::string toCsv(const FunctionsResult &result)
{
    CsvWriter csv;
    csv.header({"what", "head", "kind", "layer", "head_number", "task", "prompts", "effect", "accuracy", "ci_low",
                "ci_high", "p", "p_bh", "label"});
    for (const HeadFunction &head : result.heads) {
        addFunctionHead(csv, head, {}, head.effect);
        for (std::size_t task = 0; task < head.tasks.size(); ++task)
            addFunctionHead(csv, head, result.tasks[task].name, head.tasks[task]);
    }
    for (const VectorLayer &layer : result.layers) {
        const auto add = [&](const char *prompts, const VectorEffect &effect) {
            addVectorLayer(csv, layer.layer, prompts, {}, effect, effect.accuracy);
            for (std::size_t task = 0; task < effect.tasks.size(); ++task)
                addVectorLayer(csv, layer.layer, prompts, result.tasks[task].name, effect, effect.tasks[task]);
        };
        add("zero-shot", layer.zeroShot);
        add("shuffled", layer.shuffled);
    }
    if (const auto &masking = result.masking) {
        addFunctionMasking(csv, "few-shot: all heads", kEmptyField, masking->full, kEmptyField);
        addFunctionMasking(csv, "few-shot: without top heads", kEmptyField, masking->top, kEmptyField);
        addFunctionMasking(csv, "few-shot: without random heads", kEmptyField, masking->random, kEmptyField);
        addFunctionMasking(csv, "few-shot: top minus random", masking->difference.difference,
                           {kEmptyField, masking->difference.interval}, masking->difference.p);
    }
    return csv.text();
}

} // namespace headscope

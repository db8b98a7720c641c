#include "core/model/classifierconfig.h"

#include "core/base/parsednumber.h"

#include <cstddef>
#include <iterator>
#include <string>
#include <vector>

namespace headscope {
namespace {

constexpr std::int64_t kMostLabels = 1 << 16;

std::vector<std::string> namesFromId2Label(const nlohmann::json &id2label, ConfigReader &keys)
{
    std::vector<std::string> names(id2label.size());
    for (const auto &[id, name] : id2label.items()) {
        const auto index = parsedNumber<std::size_t>(id);
        if (!index || *index >= names.size() || !names[*index].empty()) {
            keys.fail("\"id2label\" must name the labels 0 to " + std::to_string(names.size() - 1)
                      + ", each once; found \"" + id + "\".");
            return {};
        }
        names[*index] = name.is_string() && !name.get<std::string>().empty() ? name.get<std::string>() : name.dump();
    }
    return names;
}

/// id2label, or LABEL_0 ….
std::vector<std::string> labelNames(const nlohmann::json &config, ConfigReader &keys)
{
    if (const auto id2label = config.find("id2label");
        id2label != config.end() && id2label->is_object() && !id2label->empty() && std::ssize(*id2label) <= kMostLabels)
        return namesFromId2Label(*id2label, keys);
    std::vector<std::string> names;
    for (std::int64_t i = 0; i < keys.integer({"num_labels", "_num_labels"}, 2, 1, kMostLabels); ++i)
        names.push_back("LABEL_" + std::to_string(i));
    return names;
}

ProblemType problemOf(std::size_t labels, ConfigReader &keys)
{
    const std::string problem = keys.text("problem_type", labels == 1 ? "regression" : "single_label_classification");
    if (problem == "regression")
        return ProblemType::Regression;
    if (problem == "multi_label_classification")
        return ProblemType::MultiLabel;
    if (problem != "single_label_classification")
        keys.fail("unknown \"problem_type\" \"" + problem
                  + "\"; known are regression, single_label_classification and multi_label_classification.");
    return ProblemType::SingleLabel;
}

} // namespace

ClassifierSpec readClassifier(const nlohmann::json &config, ConfigReader &keys)
{
    ClassifierSpec classifier;
    classifier.labels = labelNames(config, keys);
    classifier.problem = problemOf(classifier.labels.size(), keys);
    return classifier;
}

void readDecoderHead(const nlohmann::json &config, DecoderHead classifies, TransformerSpec &spec, ConfigReader &keys)
{
    const std::string name = architectureOf(config);
    if (classifies != DecoderHead::None && name.ends_with("ForSequenceClassification")) {
        spec.classifier = readClassifier(config, keys);
        spec.classifier->dense = spec.classifier->outBiased = classifies == DecoderHead::Dense;
        if (const std::int64_t padding = keys.integer({"pad_token_id"}, -1, 0, 1 << 26); padding >= 0)
            spec.classifier->padding = padding;
        return;
    }
    for (const char *head : {"Classification", "QuestionAnswering", "MultipleChoice"}) {
        if (name.find(head) != std::string::npos)
            keys.fail("\"architectures\" says " + name
                      + (classifies == DecoderHead::None
                             ? "; Headscope opens this family to generate text, not with heads for other tasks."
                             : "; Headscope opens this family to generate text or to classify texts "
                               "(ForSequenceClassification), not with heads for other tasks."));
    }
}

} // namespace headscope

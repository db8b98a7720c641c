#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

/// The labels of a model by what people call them.
class ModelLabels
{
public:
    explicit ModelLabels(const std::vector<std::string> &names);

    const std::vector<std::string> &names() const { return m_names; }
    /// The name exactly, then in any case of letters; "LABEL_1"; a number from 0 on ("1", "1.0"), unless the names
    /// themselves are numbers.
    std::optional<int> find(std::string_view label) const;
    /// True if the names are only LABEL_0, LABEL_1, …, which say nothing about their meaning.
    bool arePlaceholders() const;
    /// "negative, positive", for messages.
    std::string text() const;

private:
    std::optional<int> inRange(std::optional<std::int64_t> number) const;

    std::vector<std::string> m_names;
    bool m_areNumbers = false;
};

/// The meaning of a label of the data to the model.
struct LabelMeaning
{
    std::string label;
    std::vector<int> modelLabels; ///< ascending; several count as one class
};

/// Reads "non-entailment=neutral+contradiction,1=positive". Errors (usage): a part without "=", a label twice, a label
/// that the model does not have.
Result<std::vector<LabelMeaning>> parseLabelMap(std::string_view text, const ModelLabels &model);

/// The whole number that a text is, also "1.0".
std::optional<std::int64_t> wholeNumberOf(std::string_view text);

} // namespace headscope

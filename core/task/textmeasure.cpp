#include "core/task/textmeasure.h"

#include <string_view>
#include <utility>

namespace headscope {

TextMeasure::TextMeasure(std::vector<std::unique_ptr<TextMetric>> metrics,
                         const std::vector<std::vector<std::string>> &references, std::string missing)
    : m_missing(std::move(missing)), m_textMetrics(std::move(metrics)), m_references(m_textMetrics.size())
{
    for (std::size_t m = 0; m < m_textMetrics.size(); ++m) {
        m_metrics.push_back(m_textMetrics[m].get());
        for (const std::vector<std::string> &accepted : references) {
            const std::vector<std::string_view> views(accepted.begin(), accepted.end());
            m_references[m].push_back(m_textMetrics[m]->prepare(views));
        }
    }
}

void TextMeasure::statistics(std::size_t metric, const ExampleOutput &output, std::span<double> out) const
{
    m_textMetrics[metric]->statistics(output.text, *m_references[metric][static_cast<std::size_t>(output.index)], out);
}

} // namespace headscope

#include "ui/pages/analyses/analysisform.h"

#include "core/analysis/analyses.h"
#include "core/analysis/speedspec.h"
#include "ui/language/corewords.h"
#include "ui/pages/analyses/optionrows.h"
#include "ui/state/slotresults.h"

#include <QCheckBox>
#include <QFormLayout>

#include <string>
#include <type_traits>

namespace headscope {

namespace {
template<SpecStruct Spec>
class FormOf final : public AnalysisForm
{
public:
    explicit FormOf(QWidget *parent) : AnalysisForm(AnalysisOf<Spec>::kInfo, parent)
    {
        auto *form = new QFormLayout(this);
        form->setContentsMargins({});
        form->setRowWrapPolicy(QFormLayout::WrapLongRows);
        form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
        OptionRows rows(*form, [this] { Q_EMIT changed(); });
        describe(rows, m_spec);
        if constexpr (requires { m_spec.mask; }) {
            m_masked = new QCheckBox(AnalysisForm::tr("Under the present mask"));
            m_masked->setToolTip(AnalysisForm::tr("The masked heads are off all the while"));
            connect(m_masked, &QCheckBox::toggled, this, &AnalysisForm::changed);
            form->addRow(m_masked);
        }
        if constexpr (requires { AnalysisOf<Spec>::kSecond; }) {
            const auto &second = AnalysisOf<Spec>::kSecond;
            m_second
                = new QCheckBox(AnalysisForm::tr("With the other data set (%1)").arg(QLatin1String(second.option)));
            m_second->setToolTip(plainTip(fromCore(second.help)));
            form->addRow(m_second);
        }
    }

    AnySpec spec(const RunOptions &run, const HeadMask &mask) const override
    {
        Spec spec = m_spec;
        spec.run = run;
        if constexpr (requires { spec.mask = mask; }) {
            if (m_masked && m_masked->isChecked())
                spec.mask = mask;
        }
        if constexpr (requires { AnalysisOf<Spec>::kSecond; })
            spec.*AnalysisOf<Spec>::kSecond.wanted = m_second->isEnabled() && m_second->isChecked();
        return spec;
    }
    bool isOwn(const AnyResult &result, const HeadMask &mask) const override
    {
        const std::string wanted = m_masked && m_masked->isChecked() ? toText(mask) : std::string();
        if constexpr (std::is_same_v<ResultOf<Spec>, EvaluationResult>) {
            const auto score = result.as<EvaluationResult>();
            return score && toText(score->mask) == wanted;
        }
        return result.is<ResultOf<Spec>>() && maskedThroughout(result) == wanted;
    }
    bool needsReferences() const override { return headscope::needsReferences(m_spec); }
    void setHasSecond(bool has) override
    {
        if (m_second)
            m_second->setEnabled(has);
    }

private:
    Spec m_spec;
    QCheckBox *m_masked = nullptr;
    QCheckBox *m_second = nullptr;
};
} // namespace

AnalysisForm::AnalysisForm(const AnalysisInfo &info, QWidget *parent) : QWidget(parent), m_info(info) { }

std::vector<AnalysisForm *> makeAnalysisForms(QWidget *parent)
{
    std::vector<AnalysisForm *> forms;
    forEachAnalysis([&](const auto &spec) {
        using Spec = std::decay_t<decltype(spec)>;
        if constexpr (AnalysisOf<Spec>::kInfo.hasCommand && !std::is_same_v<Spec, SpeedSpec>)
            forms.push_back(new FormOf<Spec>(parent));
    });
    return forms;
}

} // namespace headscope

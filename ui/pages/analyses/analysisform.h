#pragma once

#include "core/analysis/analysisinfo.h"
#include "core/analysis/anyspec.h"
#include "core/results/anyresult.h"
#include "core/task/runoptions.h"
#include "ui/state/slotresults.h"

#include <QString>
#include <QWidget>

#include <memory>
#include <vector>

class QCheckBox;

namespace headscope {

/// An analysis of the core's table with the options that are chosen for it: a row for each of them.
class AnalysisForm : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(AnalysisForm)
public:
    explicit AnalysisForm(const AnalysisInfo &info, QWidget *parent);

    const AnalysisInfo &info() const { return m_info; }
    /// As it is chosen, under `mask` where the analysis takes one and that is wanted.
    virtual AnySpec spec(const RunOptions &run, const HeadMask &mask) const = 0;
    /// Whether a result is one of this analysis, under `mask` or of the full model as it is chosen.
    virtual bool isOwn(const AnyResult &result, const HeadMask &mask) const = 0;
    virtual bool needsReferences() const = 0;
    /// The second data set can be taken something from or not.
    virtual void setHasSecond(bool has) = 0;

Q_SIGNALS:
    void changed();

private:
    const AnalysisInfo &m_info;
};

/// A form for every analysis that has a command, in the order of the table; not for measurements of speed, which take
/// the machine for themselves and belong to the dialog that saves a pruned model.
std::vector<AnalysisForm *> makeAnalysisForms(QWidget *parent);

} // namespace headscope

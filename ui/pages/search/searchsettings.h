#pragma once

#include "core/analysis/searchspec.h"

#include <QWidget>

class QCheckBox;
class QSpinBox;

namespace headscope {

class KindBoxes;

/// The boxes of the search page: which heads may go, in what steps, and what gradients are taken from.
class SearchSettings final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(SearchSettings)
public:
    explicit SearchSettings(QWidget *parent = nullptr);

    /// What the model and the data sets allow. `other`: there is another data set to take gradients from.
    void setStudy(const HeadLayout &layout, bool other);
    SearchSpec spec(const RunOptions &run) const;
    /// Ticks "From the other data set" or not, as the result that is shown was made.
    void setFromOther(bool other);
    QCheckBox &otherBox() { return *m_other; }
    /// Empty when all is well.
    QString problem() const;

Q_SIGNALS:
    void changed();

private:
    KindBoxes *m_kinds = nullptr;
    QSpinBox *m_step = nullptr;
    QSpinBox *m_samples = nullptr;
    QCheckBox *m_other = nullptr;
};

} // namespace headscope

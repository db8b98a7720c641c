#pragma once

#include "ui/pages/training/trainingfields.h"

#include <QGroupBox>

#include <array>
#include <vector>

class QFormLayout;

namespace headscope {

/// What a configuration says of gates that learn which heads stay. Values are tied to `fields`; kinds of attention are
/// its own.
class GateSettings final : public QGroupBox
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(GateSettings)
public:
    explicit GateSettings(TrainingFields &fields, QWidget *parent = nullptr);

    void setKinds(const std::vector<HeadKind> &kinds);
    std::vector<HeadKind> kinds() const; ///< empty: all
    /// Shows what the chosen method needs.
    void refresh();

    QComboBox &methodBox() { return *m_method; }

Q_SIGNALS:
    void kindsChanged();

private:
    QWidget *makeKinds();

    QFormLayout *m_form = nullptr;
    QComboBox *m_method = nullptr;
    std::array<QCheckBox *, 3> m_kinds{}; ///< in the order of HeadKind
    QList<QWidget *> m_ofL0;
    QList<QWidget *> m_ofSubset;
    QList<QWidget *> m_ofBoth;
};

} // namespace headscope

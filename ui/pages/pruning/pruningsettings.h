#pragma once

#include "core/base/result.h"
#include "ui/pages/pruning/pruningplan.h"

#include <QWidget>

#include <vector>

class QCheckBox;
class QComboBox;
class QLabel;
class QSpinBox;

namespace headscope {

class KindBoxes;

/// The boxes of the pruning page: which order, which heads may go, in what steps.
class PruningSettings final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(PruningSettings)
public:
    explicit PruningSettings(QWidget *parent = nullptr);

    const PruningChoice &choice() const { return m_choice; }
    /// The attention kinds and heads per layer that the model has.
    void setLayout(const HeadLayout &layout);
    void setOrder(const QString &order);
    /// Whether an order can be chosen on one data set and measured on another.
    void setHasBothDomains(bool both);
    /// Asks for the file to be read; showOrderFile() follows.
    void setOrderFile(const QString &path) { Q_EMIT orderFileChosen(path); }
    /// What was read of it.
    void showOrderFile(const QString &path, const Result<std::vector<HeadRef>> &order);
    const std::vector<HeadRef> &fileOrder() const { return m_fileOrder; }
    /// Empty when all is well.
    const QString &problem() const { return m_problem; }

Q_SIGNALS:
    void changed();
    void orderFileChosen(const QString &path);

private:
    void fillOrders();
    QWidget *makeCandidates();
    void onOrderChosen(int index);
    void collect();

    PruningChoice m_choice;
    HeadLayout m_layout;
    std::vector<HeadRef> m_fileOrder;
    QString m_file;
    QString m_problem;
    QComboBox *m_order = nullptr;
    QComboBox *m_orderFrom = nullptr;
    QLabel *m_orderFromLabel = nullptr;
    KindBoxes *m_kinds = nullptr;
    QSpinBox *m_atLeast = nullptr;
    QSpinBox *m_step = nullptr;
    QCheckBox *m_reestimate = nullptr;
    QCheckBox *m_reverse = nullptr;
    QCheckBox *m_eachKind = nullptr;
};

} // namespace headscope

#pragma once

#include "core/base/headref.h"

#include <QWidget>

#include <vector>

class QCheckBox;

namespace headscope {

/// A box for each kind of attention that the model has: whose heads may go.
class KindBoxes final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(KindBoxes)
public:
    explicit KindBoxes(QWidget *parent = nullptr);

    void setLayout(const HeadLayout &layout);
    /// The checked kinds; empty if all are checked.
    std::vector<HeadKind> kinds() const;
    bool noneChecked() const;
    int count() const; ///< boxes that are offered

Q_SIGNALS:
    void changed();

private:
    std::vector<QCheckBox *> m_boxes; ///< in the order of kAllHeadKinds
};

} // namespace headscope

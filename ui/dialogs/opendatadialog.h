#pragma once

#include "ui/state/studystate.h"
#include "ui/views/dataslotedit.h"

#include <QDialog>

#include <array>
#include <optional>

class QDialogButtonBox;

namespace headscope {

/// Chooses the files of one or both data slots.
class OpenDataDialog final : public QDialog
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(OpenDataDialog)
public:
    /// Shows what the slots hold now.
    OpenDataDialog(const StudyState &state, JobQueue &queue, QWidget *parent = nullptr);

    DataSlotEdit &slot(Domain domain) { return *m_slots[domain == Domain::In ? 0 : 1]; }

Q_SIGNALS:
    /// For each slot that was changed, when the dialog is accepted.
    void dataChosen(headscope::Domain domain, const headscope::DataSource &source);

public Q_SLOTS:
    void accept() override;

private:
    void refreshButtons();

    std::array<DataSlotEdit *, 2> m_slots{};
    std::array<std::optional<DataSource>, 2> m_before;
    QDialogButtonBox *m_buttons = nullptr;
};

} // namespace headscope

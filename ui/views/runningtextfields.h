#pragma once

#include "ui/views/sourcefields.h"

class QComboBox;
class QSpinBox;

namespace headscope {

class FileEdit;

/// A file of running text for language models, and how it is cut.
class RunningTextFields final : public SourceFields
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(RunningTextFields)
public:
    /// `title` for accessible names.
    RunningTextFields(const QString &title, QWidget *parent = nullptr);

    void setSource(const DataSource &source) override;
    void writeTo(DataSource &source) const override;
    bool holds(const DataSource &source) const override { return !source.text.empty(); }

private:
    FileEdit *m_file = nullptr;
    QComboBox *m_unit = nullptr;
    QSpinBox *m_stride = nullptr;
    QComboBox *m_predictions = nullptr;
    QComboBox *m_start = nullptr;
};

} // namespace headscope

#pragma once

#include "core/data/datasource.h"
#include "ui/jobs/jobqueue.h"
#include "ui/state/studystate.h"

#include <QGroupBox>

#include <optional>

class QLabel;
class QLineEdit;
class QSpinBox;
class QTableWidget;
class QTimer;

namespace headscope {

class ErrorLabel;

/// The file another one is parallel to, guessed: same folder, same name, another ending. Empty: none or several.
QString parallelFile(const QString &file);

/// Two parallel text files for one data slot, with a look into them.
class DataSlotEdit final : public QGroupBox
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(DataSlotEdit)
public:
    DataSlotEdit(Domain domain, JobQueue &queue, QWidget *parent = nullptr);

    void setSource(const DataSource &source);
    /// Nothing when both files are empty.
    std::optional<DataSource> source() const;
    /// Empty, or read and found in order.
    bool isAcceptable() const { return m_acceptable; }
    QString errorText() const;

Q_SIGNALS:
    void acceptableChanged();

private:
    QWidget *makeFileRow(QLineEdit *&edit, const QString &accessibleName, bool isSource);
    void browse(QLineEdit *edit, bool isSource);
    void onEdited();
    void startPreview();
    void showPreview(const DataPreview &preview);
    void setAcceptable(bool acceptable);

    Domain m_domain;
    JobQueue &m_queue;
    QLineEdit *m_source = nullptr;
    QLineEdit *m_reference = nullptr;
    QSpinBox *m_limit = nullptr;
    QTableWidget *m_rows = nullptr;
    QLabel *m_summary = nullptr;
    ErrorLabel *m_error = nullptr;
    QTimer *m_timer = nullptr;
    bool m_acceptable = true;
};

} // namespace headscope

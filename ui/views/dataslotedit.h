#pragma once

#include "core/data/datasource.h"
#include "ui/jobs/jobqueue.h"

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

struct DataSlotOptions
{
    QString title;     ///< "In-domain data"
    QString tag;       ///< of the job that looks into the files
    QString emptyText; ///< what it means to leave both files empty
    bool compact = false; ///< without the table of first lines: they are in the summary's tool tip
};

/// Two parallel text files for one data slot, with a look into them.
class DataSlotEdit final : public QGroupBox
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(DataSlotEdit)
public:
    DataSlotEdit(const DataSlotOptions &options, JobQueue &queue, QWidget *parent = nullptr);

    void setSource(const DataSource &source);
    /// Nothing when both files are empty. What has no field here (tables, columns) stays as it was set, until files
    /// are chosen in its place.
    std::optional<DataSource> source() const;
    /// Empty, or read and found in order.
    bool isAcceptable() const { return m_acceptable; }
    QString errorText() const;

Q_SIGNALS:
    void edited();
    void acceptableChanged();

private:
    QWidget *makeFileRow(QLineEdit *&edit, const QString &accessibleName, bool isSource);
    QString sourceHint() const;
    void browse(QLineEdit *edit, bool isSource);
    void onEdited();
    void startPreview();
    void makeRows();
    void showPreview(const DataPreview &preview);
    void showRows(const std::vector<DataRow> &rows);
    void setAcceptable(bool acceptable);

    DataSlotOptions m_options;
    DataSource m_given; ///< as set
    JobQueue &m_queue;
    QLineEdit *m_source = nullptr;
    QLineEdit *m_reference = nullptr;
    QSpinBox *m_limit = nullptr;
    QTableWidget *m_rows = nullptr; ///< null when compact
    QLabel *m_summary = nullptr;
    ErrorLabel *m_error = nullptr;
    QTimer *m_timer = nullptr;
    bool m_acceptable = true;
};

} // namespace headscope

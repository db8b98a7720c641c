#pragma once

#include "core/data/datasource.h"
#include "core/session/session.h"
#include "ui/jobs/jobqueue.h"
#include "ui/views/tablefields.h"

#include <QGroupBox>

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

class QComboBox;
class QLabel;
class QSpinBox;
class QTableWidget;
class QTimer;

namespace headscope {

class ErrorLabel;
class FileEdit;
class SourceFields;

/// A form in which data are given.
enum class DataForm { Parallel, Table, RunningText };
inline constexpr std::size_t kDataForms = 3;

struct DataSlotOptions
{
    QString title;        ///< "In-domain data"
    QString tag;          ///< of the job that looks into the files
    QString emptyText;    ///< what it means to leave everything empty
    bool compact = false; ///< without the table of first lines: they are in the summary's tool tip
    /// The forms of data on offer, the default first. Existing data is shown in any form.
    std::vector<DataForm> forms{DataForm::Parallel};
    TableRows tableRows = TableRows::Labelled;
    std::vector<std::string> modelLabels{}; ///< what the labels of a table are to mean
    std::shared_ptr<Session> session{};     ///< on whose machine the files are; null: this one
};

/// The files of one data slot, in one of the forms or as sentences with dependency trees, with a look into them.
class DataSlotEdit final : public QGroupBox
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(DataSlotEdit)
public:
    DataSlotEdit(const DataSlotOptions &options, JobQueue &queue, QWidget *parent = nullptr);

    void setSource(const DataSource &source);
    /// Without any files, in the form of other data.
    void clearTo(const DataSource &like);
    /// Nothing when no file is named. What has no field here stays as it was set, until files are chosen in its place.
    std::optional<DataSource> source() const;
    /// Empty, or read and found in order.
    bool isAcceptable() const { return m_acceptable; }
    QString errorText() const;
    TableFields &table() { return *m_table; }

Q_SIGNALS:
    void edited();
    void acceptableChanged();

private:
    bool isTable() const { return m_form == DataForm::Table; }
    SourceFields &fields(DataForm form) const { return *m_fields[static_cast<std::size_t>(form)]; }
    void showForm(DataForm form);
    DataForm formOf(const DataSource &source) const;
    void onEdited();
    void makeLimit();
    void connectAll();
    void makeTrees();
    void chooseElsewhere();
    void startPreview();
    void makeRows();
    void showPreview(const DataPreview &preview);
    using RowPart = std::pair<QString, std::string DataRow::*>; ///< its heading, and where it stands
    std::vector<RowPart> partsOf(const DataPreview &preview) const;
    void showRows(const DataPreview &preview);
    void setAcceptable(bool acceptable);

    DataSlotOptions m_options;
    DataSource m_given; ///< as set
    JobQueue &m_queue;
    DataForm m_form = DataForm::Parallel; ///< that is shown
    QComboBox *m_forms = nullptr;
    std::array<SourceFields *, kDataForms> m_fields{};
    TableFields *m_table = nullptr; ///< one of them
    FileEdit *m_trees = nullptr;    ///< null when compact: nothing there needs them
    QSpinBox *m_limit = nullptr;
    QTableWidget *m_rows = nullptr; ///< null when compact
    QLabel *m_summary = nullptr;
    ErrorLabel *m_error = nullptr;
    QTimer *m_timer = nullptr;
    bool m_setting = false;
    bool m_acceptable = true;
};

} // namespace headscope

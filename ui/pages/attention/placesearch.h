#pragma once

#include "core/analysis/findspec.h"
#include "ui/exporting/exporter.h"
#include "ui/jobs/jobqueue.h"
#include "ui/state/studystate.h"

#include <QWidget>

#include <memory>
#include <optional>

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QTableWidget;

namespace headscope {

class StudyController;

/// A place that a search has found, and what it was found by.
struct ChosenPlace
{
    Domain domain = Domain::In;
    HeadRef head{};
    FoundPlace place{};
    bool ownOutput = false; ///< the decoder was forced to the model's own output

    bool operator==(const ChosenPlace &) const = default;
};

/// Searches a data set, in the background, for the sentences in which a head attends most to a token, a part of speech
/// or an offset, and lists the best of them.
class PlaceSearch final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(PlaceSearch)
public:
    PlaceSearch(StudyState &state, StudyController &controller, QWidget *parent = nullptr);

    QComboBox &whatBox() { return *m_what; }
    QLineEdit &wordEdit() { return *m_word; }
    QPushButton &searchButton() { return *m_search; }
    QTableWidget &table() { return *m_table; }
    QString note() const;
    bool isSearching() const { return m_job.has_value(); }
    const std::shared_ptr<const FindResult> &result() const { return m_result; }
    /// Which head and data set are searched, and whether that can be done now.
    void refresh();
    /// `ownOutput`: the decoder is forced to the model's own output, not to the references.
    void setOwnOutput(bool ownOutput) { m_ownOutput = ownOutput; }
    /// The places as a table; without paint(): there are none.
    ExportItem exportItem() const;

Q_SIGNALS:
    void placeChosen(const headscope::ChosenPlace &place);
    void found(); ///< more places, or other ones

private:
    void setupUi();
    void refreshWord();
    std::optional<FindSpec> specOf(const HeadRef &head);
    void start();
    void show(std::shared_ptr<const FindResult> result);
    void say(const QString &text);
    void choose(int row);
    QString summary() const;

    StudyState &m_state;
    StudyController &m_controller;
    QLabel *m_title = nullptr;
    QComboBox *m_what = nullptr;
    QLineEdit *m_word = nullptr;
    QPushButton *m_search = nullptr;
    QLabel *m_note = nullptr;
    QTableWidget *m_table = nullptr;
    std::optional<JobId> m_job;                 ///< that searches now
    std::shared_ptr<const FindResult> m_result; ///< of the last search; null: none
    Domain m_domain = Domain::In;               ///< of it
    bool m_ownOutput = false;
    bool m_askedOwnOutput = false; ///< by it
};

} // namespace headscope

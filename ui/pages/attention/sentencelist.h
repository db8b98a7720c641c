#pragma once

#include "ui/pages/attention/sentencemodel.h"
#include "ui/state/studystate.h"

#include <QWidget>

#include <cstdint>
#include <memory>
#include <string>

class QComboBox;
class QLabel;
class QLineEdit;
class QListView;

namespace headscope {

class SentenceFilter;

/// The rows of a data set to choose one from: searched, filtered, sorted. Sets the study's sentence; when the study has
/// changed, the page says what is to be refreshed.
class SentenceList final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(SentenceList)
public:
    explicit SentenceList(StudyState &state, QWidget *parent = nullptr);

    SentenceModel &model() { return *m_model; }
    const SentenceModel &model() const { return *m_model; }
    QListView &list() { return *m_list; }
    QLineEdit &searchEdit() { return *m_search; }
    QComboBox &filterBox() { return *m_filter; }
    /// As the session would read them; for a study whose data are not read yet, and for tests.
    void setSentences(Domain domain, std::int64_t count, SentenceModel::Reader reader);
    /// The row of the data that is chosen; −1: none, or something else is looked at.
    std::int64_t row() const;
    /// As if the user had chosen the row.
    void pick(Domain domain, std::int64_t row);
    /// Deselects the row, until one is picked again.
    void leave();
    /// The model has changed, and with it the data and whether outputs can be right or wrong.
    void forgetModel();
    void refresh();        ///< data, outputs and the sentence
    void refreshOutputs(); ///< what is said of the sentences
    void refreshCount();
    QString count() const; ///< what is said below the list
    void follow();         ///< goes to the study's sentence

Q_SIGNALS:
    /// The user chooses a row or data set; emitted before the study's sentence changes.
    void picked();
    /// The list has selected the study's sentence, also after it was picked again.
    void followed();
    void outputsChanged();

private:
    void setupUi();
    void connectAll();
    void refreshFilters();
    void onCurrentChanged(const QModelIndex &index);
    void selectRow(std::int64_t row);
    QString changesText() const;

    StudyState &m_state;
    SentenceModel *m_model = nullptr;
    SentenceFilter *m_proxy = nullptr;
    QComboBox *m_domain = nullptr;
    QComboBox *m_sort = nullptr;
    QComboBox *m_filter = nullptr;
    QLineEdit *m_search = nullptr;
    QListView *m_list = nullptr;
    QLabel *m_count = nullptr;
    Domain m_rowsOf = Domain::In; ///< the data set whose rows the list shows
    bool m_left = false;
    bool m_otherModel = true; ///< the filters are not this model's yet
    bool m_following = false;
    std::shared_ptr<const DataRows> m_rows; ///< that the list shows
};

} // namespace headscope

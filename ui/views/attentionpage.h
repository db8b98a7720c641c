#pragma once

#include "ui/exporting/exporter.h"
#include "ui/heatmap/heatmapview.h"
#include "ui/state/studycontroller.h"
#include "ui/views/sentencemodel.h"

#include <QTimer>
#include <QWidget>

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QListView;
class QSortFilterProxyModel;
class QTextBrowser;

namespace headscope {

/// What does it look at? A sentence of the data or a typed one, and the heat map of the current head on it.
class AttentionPage final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(AttentionPage)
public:
    AttentionPage(StudyState &state, StudyController &controller, QWidget *parent = nullptr);

    QList<ExportItem> exportItems() const;
    HeatMapView &heatMap() { return *m_heatMap; }
    SentenceModel &sentences() { return *m_model; }
    QListView &list() { return *m_list; }
    QLineEdit &searchEdit() { return *m_search; }
    QLineEdit &typedEdit() { return *m_typed; }
    QComboBox &headBox() { return *m_head; }
    /// What is said of source, reference and outputs.
    QString textsHtml() const;
    /// As StudyController would read them; for a study whose data are not read yet, and for tests.
    void setSentences(Domain domain, std::int64_t count, SentenceModel::Reader reader);

protected:
    void showEvent(QShowEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    QWidget *makeLeft();
    QWidget *makeRight();
    void connectState();
    void connectControls();
    void refreshSentences();
    void refreshOutputs();
    void refreshHeads();
    void refreshPicture();
    void refreshTexts();
    void onSentenceClicked(const QModelIndex &index);
    void showTyped();
    void onSentenceChanged();
    void request();
    void selectRow(std::int64_t row);
    QString whyEmpty() const;
    HeatMapPicture picture() const;

    StudyState &m_state;
    StudyController &m_controller;
    SentenceModel *m_model = nullptr;
    QSortFilterProxyModel *m_proxy = nullptr;
    QComboBox *m_domain = nullptr;
    QLineEdit *m_search = nullptr;
    QComboBox *m_sort = nullptr;
    QListView *m_list = nullptr;
    QLabel *m_count = nullptr;
    QLineEdit *m_typed = nullptr;
    QComboBox *m_head = nullptr;
    QComboBox *m_target = nullptr;
    QCheckBox *m_join = nullptr;
    QCheckBox *m_hide = nullptr;
    HeatMapView *m_heatMap = nullptr;
    QTextBrowser *m_texts = nullptr;
    QTimer m_requestTimer;    ///< several changes of the mask ask once
    bool m_stale = true;      ///< something changed while the page was hidden
    QString m_typedSentence;  ///< empty: the sentence is a row of the data
    const Session *m_readFrom = nullptr; ///< whose rows the list shows
    std::string m_readHash;
};

} // namespace headscope

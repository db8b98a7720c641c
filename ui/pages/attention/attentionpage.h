#pragma once

#include "ui/heatmap/heatmapview.h"
#include "ui/pages/attention/sentencelist.h"
#include "ui/pages/page.h"

#include <QTimer>

#include <cstdint>
#include <memory>
#include <vector>

class QCheckBox;
class QComboBox;
class QLineEdit;
class QTextBrowser;

namespace headscope {

class ErrorLabel;
class RolloutFeed;

/// What does it look at? A sentence of the data or a typed one, and the heat map of the current head on it.
class AttentionPage final : public Page
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(AttentionPage)
public:
    AttentionPage(StudyState &state, StudyController &controller, QWidget *parent = nullptr);
    static PageInfo info();

    bool asksForAttention() const override { return true; }
    HeatMapView &heatMap() { return *m_heatMap; }
    SentenceModel &sentences() { return m_sentences->model(); }
    SentenceList &sentenceList() { return *m_sentences; }
    QListView &list() { return m_sentences->list(); }
    QLineEdit &searchEdit() { return m_sentences->searchEdit(); }
    QLineEdit &typedEdit() { return *m_typed; }
    QComboBox &headBox() { return *m_head; }
    QComboBox &measureBox() { return *m_measure; }
    QCheckBox &treeBox() { return *m_tree; }
    QComboBox &pairBox() { return *m_pair; }
    /// What is said of texts and outputs.
    QString textsHtml() const;
    /// As StudyController would read them; for a study whose data are not read yet, and for tests.
    void setSentences(Domain domain, std::int64_t count, SentenceModel::Reader reader);

protected:
    void refreshNow() override;
    void showEvent(QShowEvent *event) override;
    QList<ExportItem> makeExportItems() const override;
    void changeEvent(QEvent *event) override;

private:
    QWidget *makeRight();
    QWidget *makeTyped(QWidget *parent);
    QWidget *makeControls(QWidget *parent);
    void connectState();
    void connectControls();
    void refreshControls();
    void refreshPairs();
    void refreshChoices();
    void refreshPicture();
    void refreshTexts();
    void showTyped();
    void request();
    bool translates() const;
    bool classifies() const;
    bool isTyped() const { return !m_typedRow.source.empty(); }
    bool showsAttentionOf(const DataRow &row) const;
    AttentionTableOptions tableOptions() const;
    QString whyEmpty() const;
    HeatMapPicture picture() const;
    bool showsTree() const;
    bool showsNorms() const;
    bool showsRollout() const;
    QString rolesOf(const HeadRef &head) const;
    std::shared_ptr<const std::vector<float>> rollout() const;

    SentenceList *m_sentences = nullptr;
    QLineEdit *m_typed = nullptr;
    QLineEdit *m_typedPair = nullptr; ///< second text, for classifiers
    QComboBox *m_head = nullptr;
    QComboBox *m_target = nullptr; ///< what the decoder says; for translation
    QComboBox *m_pair = nullptr;   ///< which text looks at which; for classifiers
    QCheckBox *m_join = nullptr;
    QCheckBox *m_hide = nullptr;
    QComboBox *m_measure = nullptr; ///< weights, or norm-weighted
    QCheckBox *m_tree = nullptr;    ///< where the source has a dependency tree
    HeatMapView *m_heatMap = nullptr;
    QTextBrowser *m_texts = nullptr;
    ErrorLabel *m_error = nullptr; ///< why there is no attention of what was asked for
    RolloutFeed *m_rollout = nullptr;
    QTimer m_requestTimer; ///< several changes of the mask ask once
    bool m_stale = true;   ///< the attention is of another sentence or mask: it is asked for when the page is seen
    bool m_refreshing = false;
    DataRow m_typedRow;    ///< empty: a row of the data is looked at
};

} // namespace headscope

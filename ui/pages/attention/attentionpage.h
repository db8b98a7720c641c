#pragma once

#include "ui/heatmap/heatmapview.h"
#include "ui/pages/attention/attentioncontrols.h"
#include "ui/pages/attention/sentencelist.h"
#include "ui/pages/page.h"

#include <QTimer>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

class QCheckBox;
class QComboBox;
class QLineEdit;
class QStackedWidget;
class QTextBrowser;

namespace headscope {

class ErrorLabel;
class HeadLinesView;
class HeadStrip;
class MapsView;
class RolloutFeed;
struct LinesPicture;
struct MapsPicture;

/// What does it look at? A sentence of the data or a typed one, and on it the heat map of the current head, lines of several
/// heads, or thumbnails of all.
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
    HeadLinesView &lines() { return *m_lines; }
    HeadStrip &strip() { return *m_strip; }
    MapsView &maps() { return *m_maps; }
    AttentionControls &controls() { return *m_controls; }
    QComboBox &headBox() { return m_controls->headBox(); }
    QComboBox &measureBox() { return m_controls->measureBox(); }
    QCheckBox &treeBox() { return m_controls->treeBox(); }
    QComboBox &pairBox() { return m_controls->pairBox(); }
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
    QWidget *makeViews(QWidget *parent);
    void connectState();
    void connectControls();
    void refreshControls();
    void refreshPairs();
    void refreshChoices();
    void refreshPicture(); ///< the view that is shown
    void refreshMarks();   ///< selection and hover
    void refreshStrip();
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
    LinesPicture linesPicture() const;
    MapsPicture mapsPicture() const;
    std::vector<HeadRef> headsOfLines() const;
    QString sideName(bool target, const std::optional<int> &segment) const;
    QString exampleText() const;
    ExportItem heatMapItem() const; ///< without paint(): there is none
    ExportItem linesItem() const;
    ExportItem mapsItem() const;
    bool showsTree() const;
    bool showsNorms() const;
    bool showsRollout() const;
    QString rolesOf(const HeadRef &head) const;
    std::shared_ptr<const std::vector<float>> rollout() const;

    SentenceList *m_sentences = nullptr;
    QLineEdit *m_typed = nullptr;
    QLineEdit *m_typedPair = nullptr; ///< second text, for classifiers
    AttentionControls *m_controls = nullptr;
    QStackedWidget *m_views = nullptr; ///< in the order of AttentionView
    HeatMapView *m_heatMap = nullptr;
    HeadStrip *m_strip = nullptr;
    HeadLinesView *m_lines = nullptr;
    MapsView *m_maps = nullptr;
    QTextBrowser *m_texts = nullptr;
    ErrorLabel *m_error = nullptr; ///< why there is no attention of what was asked for
    RolloutFeed *m_rollout = nullptr;
    QTimer m_requestTimer; ///< several changes of the mask ask once
    bool m_stale = true;   ///< the attention is of another sentence or mask: it is asked for when the page is seen
    bool m_refreshing = false;
    DataRow m_typedRow;    ///< empty: a row of the data is looked at
};

} // namespace headscope

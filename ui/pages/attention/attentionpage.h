#pragma once

#include "ui/heatmap/heatmapview.h"
#include "ui/pages/attention/attentioncontrols.h"
#include "ui/pages/attention/attentionviews.h"
#include "ui/pages/attention/neuronfeed.h"
#include "ui/pages/attention/placesearch.h"
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
class QTabWidget;
class QTextBrowser;

namespace headscope {

class ErrorLabel;
class NeededBar;
class OutputFeed;
struct LinesPicture;
struct MapsPicture;
struct NeuronPicture;

/// What does a head attend to? A sentence of the data or a typed one, with the heat map of the current head, lines of
/// several heads, thumbnails of all, or the neurons of the current one; two sentences, or one under two masks, side by
/// side.
class AttentionPage final : public Page
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(AttentionPage)
public:
    AttentionPage(StudyState &state, StudyController &controller, QWidget *parent = nullptr);
    static PageInfo info();

    bool asksForAttention() const override { return true; }
    void computeForExport() override; ///< the neurons of the current head
    QJsonObject arrangement() const override;
    void setArrangement(const QJsonObject &arrangement) override;
    HeatMapView &heatMap() { return m_views->heatMap(); }
    SentenceModel &sentences() { return m_sentences->model(); }
    SentenceList &sentenceList() { return *m_sentences; }
    PlaceSearch &places() { return *m_places; }
    QTabWidget &sentenceTabs() { return *m_tabs; } ///< the sentences, and the search among them
    QListView &list() { return m_sentences->list(); }
    QLineEdit &searchEdit() { return m_sentences->searchEdit(); }
    QLineEdit &typedEdit() { return *m_typed; }
    HeadLinesView &lines() { return m_views->lines(); }
    HeadStrip &strip() { return m_views->strip(); }
    MapsView &maps() { return m_views->maps(); }
    NeuronView &neurons() { return m_views->neurons(); }
    NeededBar &needed() { return *m_needed; }
    AttentionViews &views() { return *m_views; }
    AttentionViews &keptViews() { return *m_kept; } ///< hidden unless something is shown beside
    AttentionControls &controls() { return *m_controls; }
    QComboBox &headBox() { return m_controls->headBox(); }
    QComboBox &measureBox() { return m_controls->measureBox(); }
    QCheckBox &treeBox() { return m_controls->treeBox(); }
    QComboBox &pairBox() { return m_controls->pairBox(); }
    /// The text about the example and its outputs.
    QString textsHtml() const;
    /// As StudyController would read them; for a study whose data are not read yet, and for tests.
    void setSentences(Domain domain, std::int64_t count, SentenceModel::Reader reader);

protected:
    void refreshNow() override;
    void showEvent(QShowEvent *event) override;
    QList<ExportItem> makeExportItems() const override;
    QList<ExportItem> makeAllExportItems() const override;
    void changeEvent(QEvent *event) override;

private:
    QWidget *makeLeft(QWidget *parent);
    QWidget *makeRight();
    QWidget *makeTyped(QWidget *parent);
    QWidget *makeViews(QWidget *parent);
    void connectViews(AttentionViews &views);
    void connectState();
    void connectLists();
    void connectControls();
    void refreshControls();
    void refreshPairs();
    void refreshChoices();
    void refreshPicture(); ///< the view that is shown
    void refreshViews(AttentionViews &views);
    void refreshHeadings();
    void refreshMarks(); ///< selection and hover
    void refreshStrip(const AttentionViews &views);
    void refreshNeeded();
    void keepBeside(bool on);
    void showPicker();
    void showPlace(const ChosenPlace &place);
    /// The one that the view shows: the current one, or its own.
    std::optional<HeadRef> headOf(const AttentionViews &views) const;
    QString titleOf(const HeadRef &head) const;
    QString evidenceOf(const HeadRef &head) const;
    std::shared_ptr<const AttentionResult> unmaskedOutput() const;
    void refreshTexts();
    void showTyped();
    void request();
    bool translates() const;
    bool classifies() const;
    bool isTyped() const { return !m_typedRow.source.empty(); }
    bool showsAttentionOf(const DataRow &row) const;
    AttentionTableOptions tableOptions(const AttentionViews &views) const;
    QString whyEmpty(const AttentionViews &views) const;
    HeatMapPicture picture(const AttentionViews &views) const;
    LinesPicture linesPicture(const AttentionViews &views) const;
    MapsPicture mapsPicture(const AttentionViews &views) const;
    std::optional<NeuronFeed::Request> neuronsRequest(const AttentionViews &views) const;
    static NeuronPicture neuronsPicture(std::shared_ptr<const NeuronResult> neurons, const HeadRef &head);
    NeuronPicture neuronsPicture(const AttentionViews &views) const;
    std::vector<HeadRef> headsOfLines() const;
    QString sideName(bool target, const std::optional<int> &segment) const;
    QString exampleText(const AttentionViews &views) const;
    QString headingOf(const AttentionViews &views) const;
    ExportItem heatMapItem(const AttentionViews &views) const; ///< without paint(): there is none
    ExportItem linesItem(const AttentionViews &views) const;
    ExportItem mapsItem(const AttentionViews &views) const;
    ExportItem neuronsItem(const AttentionViews &views, const NeuronPicture &shown) const;
    HeadMask maskShown(const AttentionViews &views) const;
    /// Of the current head; null: it has none there.
    const AttentionMap *currentMap(const AttentionViews &views) const;
    bool showsTree(const AttentionViews &views) const;
    bool showsNorms(const AttentionViews &views) const;
    bool showsRollout(const AttentionViews &views) const;
    QString rolesOf(const HeadRef &head) const;
    std::shared_ptr<const std::vector<float>> rollout(const AttentionViews &views) const;

    SentenceList *m_sentences = nullptr;
    PlaceSearch *m_places = nullptr;
    QTabWidget *m_tabs = nullptr;
    std::optional<ChosenPlace> m_place; ///< that is marked in the heat map
    QLineEdit *m_typed = nullptr;
    QLineEdit *m_typedPair = nullptr; ///< second text, for classifiers
    AttentionControls *m_controls = nullptr;
    NeededBar *m_needed = nullptr;     ///< over the thumbnails
    AttentionViews *m_views = nullptr; ///< of the study's sentence
    AttentionViews *m_kept = nullptr;  ///< of the sentence beside it
    OutputFeed *m_outputs = nullptr;   ///< of typed texts, without masks
    QTextBrowser *m_texts = nullptr;
    ErrorLabel *m_error = nullptr; ///< why there is no attention for the request
    QTimer m_requestTimer;         ///< several changes of the mask ask once
    bool m_stale = true; ///< the attention is of another sentence or mask: it is asked for when the page is seen
    bool m_refreshing = false;
    DataRow m_typedRow; ///< empty: a row of the data is looked at
};

} // namespace headscope

#pragma once

#include "core/analysis/anyspec.h"
#include "core/analysis/patchspec.h"
#include "core/results/patchresult.h"
#include "ui/models/gridcontent.h"
#include "ui/models/headgridmodel.h"
#include "ui/pages/page.h"
#include "ui/pages/patching/pairchart.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

class QComboBox;
class QLabel;
class QPushButton;
class QStackedWidget;
class QTabBar;

namespace headscope {

class ErrorLabel;
class HeadGridView;
class PathsView;
class TakeoverBar;

/// Which heads carry the answer from the text to the output? The clean and the corrupt text of a pair above each other
/// with the effects of the selected head at every position, and the effects of all heads, everywhere or at the chosen
/// position (activation patching); or what takes over when the selected
/// head is removed. Beside these, the paths from head to head.
class PatchingPage final : public Page
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(PatchingPage)
public:
    PatchingPage(StudyState &state, StudyController &controller, QWidget *parent = nullptr);
    static PageInfo info();

    HeadGridView &grid() { return *m_grid; }
    PairChart &pairChart() { return *m_pair; }
    QComboBox &valuesBox() { return *m_values; }
    QComboBox &whatBox() { return *m_what; }
    QPushButton &computeButton() { return *m_compute; }
    TakeoverBar &takeover() { return *m_takeover; }
    PathsView &paths() { return *m_paths; }
    QTabBar &tabBar() { return *m_tabs; }
    /// What the button asks for.
    PatchSpec spec() const;
    std::vector<StudyController::Request> missing(Domain domain, bool shown) override;

protected:
    void refreshNow() override;
    QList<ExportItem> makeExportItems() const override;

private:
    /// Numbers of heads that the grid can have.
    enum class Values { Effect, Attribution, Direct, Takeover };
    /// What is known of a head.
    struct ShownEffect
    {
        PatchEffect effect{};
        double direct = 0; ///< everywhere only: not known by positions
        std::int64_t pairs = 0;
    };

    void setupUi();
    void makeChoices();
    void connectState();
    void connectViews();
    void compute();
    /// What the button asks for of what is seen.
    AnySpec asked() const;
    bool showsPaths() const;
    void refreshPaths();
    void refreshTakeover();
    bool showsTakeover() const { return !showsPaths() && shownValues() == Values::Takeover; }
    void refreshGrid();
    void refreshPair();
    void refreshTexts();
    Domain shown() const { return m_state.shownDomain(); }
    GridContent emptyGrid(Values values) const;
    std::map<HeadRef, ShownEffect> shownEffects() const;
    GridContent content() const;
    Values shownValues() const;
    PairPicture pairPicture(QStringList *tips) const;
    const PatchPair *chosenPair() const; ///< null: there is none
    /// Whether the texts are those of the decoder of an encoder-decoder.
    bool showsWritten() const;
    bool isOfWritten(HeadKind kind) const;
    HeadRef unitOf(const HeadRef &head) const;
    /// A position of the shown pair as the result counts.
    std::int64_t counted(int position, qsizetype tokens) const;
    QString effectText(const PatchEffect &effect, std::int64_t pairs) const;
    QString title() const;
    QString summary() const;
    QString whyNot() const;
    QString whyEmpty() const;

    std::shared_ptr<const PatchResult> m_result;
    std::optional<int> m_position; ///< of the shown pair, whose heads the grid has; nothing: everywhere
    HeadGridModel *m_model = nullptr;
    HeadGridView *m_grid = nullptr;
    QTabBar *m_tabs = nullptr;
    QStackedWidget *m_stack = nullptr;
    PathsView *m_paths = nullptr;
    PairChart *m_pair = nullptr;
    QComboBox *m_domain = nullptr;
    QComboBox *m_measure = nullptr;
    QComboBox *m_direction = nullptr;
    QComboBox *m_what = nullptr;
    QComboBox *m_values = nullptr;
    QComboBox *m_pairs = nullptr;
    QPushButton *m_compute = nullptr;
    TakeoverBar *m_takeover = nullptr;
    QLabel *m_title = nullptr;
    QLabel *m_summary = nullptr;
    QLabel *m_note = nullptr;
    ErrorLabel *m_error = nullptr;
};

} // namespace headscope

#pragma once

#include "ui/exporting/exporter.h"
#include "ui/state/studycontroller.h"

#include <QJsonObject>
#include <QWidget>

#include <functional>
#include <vector>

class QAction;
class QMenu;

namespace headscope {

/// The properties of a page before it is created.
struct PageInfo
{
    QString id;              ///< "heads": its name for --view, and in the layout that a study keeps
    QString title;           ///< "&Heads": of its tab, and its line in the menu View
    bool needsModel = true;  ///< has a tab only while a model is open
    bool docksAside = false; ///< is not about the open model, and gets the docks' room as well
};

/// A page of the window: one question. What all views of all pages can do is here: Ctrl with the wheel, + and − zooms,
/// Ctrl+0 fits, and a menu copies, exports, and shows the selected heads elsewhere. It does nothing while it is hidden:
/// what it follows only marks it dirty then, and it is refreshed when it is shown.
class Page : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(Page)
public:
    Page(StudyState &state, StudyController &controller, QWidget *parent);

    /// What it offers to export now; empty when it has nothing yet.
    QList<ExportItem> exportItems();
    /// All items of the page for an export of everything, including those that are hidden at the moment.
    QList<ExportItem> allExportItems();
    /// Refreshes the page as if it were shown.
    void bringUpToDate();
    /// How often it has refreshed itself or a part of itself.
    int refreshCount() const { return m_refreshes; }

    /// What the page shows of a data set and is not there; `shown`: also what is computed only where somebody looks.
    virtual std::vector<StudyController::Request> missing(Domain domain, bool shown);
    /// Starts that.
    virtual void computeMissing(Domain domain, bool shown);
    /// Starts what an export of everything shows and only a page that is seen asks for.
    virtual void computeForExport() { bringUpToDate(); }
    /// Whether a file or folder is of a kind that this page shows, which it then opens.
    virtual bool isOwn(const QString &path) const;
    virtual void openPath(const QString &path);
    /// What it adds to the menu Analyse. The window enables them when something can be computed.
    virtual QList<QAction *> analyses() const { return {}; }
    /// Opens what looks for something on the page; false: there is nothing to look in.
    virtual bool find() { return false; }
    /// The error of the page's own work; the study's errors are in StudyState.
    virtual QString ownError() const { return {}; }
    /// The arrangement of the page for the layout that a study keeps; empty: the default.
    virtual QJsonObject arrangement() const { return {}; }
    /// Restores the arrangement of an opened study; unknown parts get their defaults.
    virtual void setArrangement(const QJsonObject &) { }
    /// Whether a button of its own says how long what is missing takes, so that the window's need not.
    virtual bool saysItsTime() const { return false; }
    /// Whether it asks for attention on the study's sentence itself while it is seen.
    virtual bool asksForAttention() const { return false; }

Q_SIGNALS:
    /// Requests another page with the attention of this head.
    void headActivated(const headscope::HeadRef &head);
    void exportRequested();
    void exportableChanged();
    /// Another page is to be shown.
    void pageRequested(const QString &id);
    /// A model is to be opened, and its heads shown.
    void modelRequested(const QString &folder);
    /// A recent study or model is to be opened.
    void recentRequested(const QString &path);
    /// The model without the masked heads is to be saved.
    void prunedModelRequested();

protected:
    /// Refreshes everything. Called when the page is shown, if anything that it follows has changed since.
    virtual void refreshNow() = 0;
    virtual QList<ExportItem> makeExportItems() const = 0;
    virtual QList<ExportItem> makeAllExportItems() const { return makeExportItems(); }

    /// The page's data have changed: it refreshes now if visible, else when it is shown.
    void markDirty();
    /// `part` at once where the page is seen; else all of it when it is shown.
    void refreshWhenShown(const std::function<void()> &part);
    /// `part`: a function object or a member function of the page.
    template<typename Sender, typename Signal, typename Part>
    void follow(Sender *sender, Signal signal, Part part)
    {
        connect(sender, signal, this, [this, part] { refreshWhenShown([this, part] { call(part); }); });
    }
    /// Results of some kinds, and the data that they are of.
    template<typename Part>
    void followResults(ResultKinds kinds, Part part)
    {
        follow(&m_state, &StudyState::dataChanged, part);
        connect(&m_state, &StudyState::resultsChanged, this, [this, kinds, part](Domain, ResultKinds changed) {
            if (changed & kinds)
                refreshWhenShown([this, part] { call(part); });
        });
    }
    /// Everything that grids of heads depend on: model, data, results of these kinds, roles, measure, metric, domain.
    template<typename Part>
    void followStudy(ResultKinds kinds, Part part)
    {
        for (const auto signal :
             {&StudyState::modelChanged, &StudyState::rolesChanged, &StudyState::roleViewChanged,
              &StudyState::measureChanged, &StudyState::gridUnitChanged, &StudyState::metricChanged,
              &StudyState::domainViewChanged, &StudyState::significanceChanged, &StudyState::staleChanged})
            follow(&m_state, signal, part);
        followResults(kinds, part);
    }
    void showEvent(QShowEvent *event) override;
    void contextMenuEvent(QContextMenuEvent *event) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

    StudyState &m_state;
    StudyController &m_controller;

private:
    void attachViews();
    void fillMenu(QMenu &menu, QWidget *view);

    template<typename Part>
    void call(Part part)
    {
        part();
    }
    template<typename Derived>
    void call(void (Derived::*part)())
    {
        (static_cast<Derived *>(this)->*part)();
    }

    bool m_dirty = true;
    int m_refreshes = 0;
};

} // namespace headscope

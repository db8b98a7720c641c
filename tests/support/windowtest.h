#pragma once

#include "core/data/datasource.h"
#include "ui/mainwindow/mainwindow.h"

#include <QTemporaryDir>

#include <array>
#include <memory>

namespace headscope::testing {

/// The main job in the window, from opening a model to a reopened study: the same for every kind of model.
/// A test of one kind derives from this, says with what, and may add what only that kind has.
class WindowTest : public QObject
{
    Q_OBJECT
protected:
    static constexpr int kPatienceMs = 120'000;
    static constexpr int kExamples = 8;

    struct Material
    {
        QString model;
        std::array<DataSource, 2> data;
        RunOptions run{};
    };
    /// Finds or writes the model and two data sets; `folder` is for what is written.
    virtual Material material(const QString &folder) = 0;

    MainWindow &window() { return *m_window; }
    StudyState &state() { return m_window->state(); }
    const DomainResults &results(Domain domain) { return state().results(domain); }
    bool isIdle() { return m_window->controller().queue().isIdle(); }
    QString path(const char *name) { return m_folder.filePath(QString::fromLatin1(name)); }
    const Material &used() const { return m_material; }
    void keep(QWidget &widget, const QString &name);
    void startLongJob();

private Q_SLOTS:
    void initTestCase();
    void cleanupTestCase();
    void init();

    void startsWithTheStartPage();
    void everyShortcutIsThereOnce();
    void folderWithoutConfigIsToldOnTheStartPage();
    void opensModelAndFillsTheGrid();
    void unequalLineCountsAreToldInTheDialog();
    void masksByClickAndKeyAndUndoes();
    void maskedScoreArrives();
    void sliderDragIsOneStep();
    void staysSmoothWhileComputing();
    void cancelActsAtOnce();
    void exportsPictureAndTable();
    void tableShowsTheSameHeads();
    void everyViewPaints();
    void domainsPageShowsAttentionAndExports();
    void clickOnTheScoresShowsTheJobs();
    void errorOfAFailedJobStays();
    void savedStudyReopensWithTheSameNumbers();

private:
    QTemporaryDir m_folder;
    Material m_material;
    std::unique_ptr<MainWindow> m_window;
};

} // namespace headscope::testing

#pragma once

#include "ui/pages/models/studycomparison.h"
#include "ui/pages/page.h"

#include <QStringList>

class QLabel;
class QListWidget;
class QPushButton;
class QSortFilterProxyModel;
class QTableView;

namespace headscope {

class ErrorLabel;
class StudyThumbnails;
class FileEdit;
class ModelsModel;
struct ModelsInFolder;

/// Many models in one table, from the results of a plan (`headscope-cli batch`), or whatever results a folder has.
class ModelsPage final : public Page
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ModelsPage)
public:
    ModelsPage(StudyState &state, StudyController &controller, QWidget *parent = nullptr);
    static PageInfo info();

    QTableView &table() { return *m_table; }
    FileEdit &folderEdit() { return *m_folder; }
    ModelsModel &model() { return *m_model; }
    QListWidget &recentStudies() { return *m_recent; } ///< and the demos; seen until a folder is read
    StudyComparison &comparison() { return *m_comparison; }
    QString ownError() const override;
    bool isOwn(const QString &path) const override;
    void openPath(const QString &path) override;

protected:
    void refreshNow() override { refreshRecent(); }
    void changeEvent(QEvent *event) override;
    void showEvent(QShowEvent *event) override;
    QList<ExportItem> makeExportItems() const override;

private:
    void makeRecent();
    static QList<NamedStudy> studies();
    void refreshRecent();
    void refreshPictures();
    void read();
    void show(const ModelsInFolder &models);

    ModelsModel *m_model = nullptr;
    QSortFilterProxyModel *m_sorted = nullptr;
    FileEdit *m_folder = nullptr;
    QPushButton *m_read = nullptr;
    QLabel *m_title = nullptr;
    QLabel *m_summary = nullptr;
    QLabel *m_empty = nullptr;
    ErrorLabel *m_error = nullptr;
    QTableView *m_table = nullptr;
    QLabel *m_recentTitle = nullptr;
    QListWidget *m_recent = nullptr; ///< recent studies, a tile each
    QStringList m_recentPaths;       ///< when the page was shown last
    StudyComparison *m_comparison = nullptr;
    StudyThumbnails *m_thumbnails = nullptr;
};

} // namespace headscope

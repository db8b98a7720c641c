#pragma once

#include "core/base/folderlisting.h"
#include "ui/jobs/jobqueue.h"

#include <QWidget>

#include <filesystem>
#include <functional>
#include <optional>

class QLineEdit;
class QListWidget;
class QListWidgetItem;
class QToolButton;

namespace headscope {

class ErrorLabel;

/// Reads a folder of another machine; called off the GUI thread.
using ListFolder = std::function<Result<FolderListing>(const std::filesystem::path &, const JobControl &)>;

/// The folders and files of another machine, one folder at a time.
class RemoteFolderView final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(RemoteFolderView)
public:
    explicit RemoteFolderView(JobQueue &queue, QWidget *parent = nullptr);

    /// From now on folders are read this way; `folder`: shown first, where it can be.
    void start(ListFolder list, const QString &folder);
    void show(const QString &folder);
    /// What is chosen in the list, by its whole path; none: nothing.
    struct Chosen
    {
        QString path;
        FolderEntry entry;
    };
    std::optional<Chosen> chosen() const;
    QString folder() const { return m_folder; }
    bool folderIsModel() const; ///< the shown folder is one itself

Q_SIGNALS:
    void chosenChanged();
    void activated(); ///< a file or a model, by a double click or Return

private:
    void showListing(const FolderListing &listing);
    void activate(const QListWidgetItem &item);

    JobQueue &m_queue;
    ListFolder m_list;
    QString m_folder;
    FolderListing m_listing;
    QToolButton *m_up = nullptr;
    QLineEdit *m_path = nullptr;
    QListWidget *m_entries = nullptr;
    ErrorLabel *m_error = nullptr;
};

} // namespace headscope

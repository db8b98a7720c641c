#include "ui/views/remotefolderview.h"

#include "ui/models/numbertext.h"
#include "ui/state/windowwords.h"
#include "ui/views/errorlabel.h"

#include <QDir>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QListWidget>
#include <QStyle>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace headscope {

RemoteFolderView::RemoteFolderView(JobQueue &queue, QWidget *parent)
    : QWidget(parent), m_queue(queue), m_up(new QToolButton(this)), m_path(new QLineEdit(this)),
      m_entries(new QListWidget(this)), m_error(new ErrorLabel(this))
{
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    auto *place = new QHBoxLayout;
    m_up->setIcon(style()->standardIcon(QStyle::SP_FileDialogToParent));
    m_up->setToolTip(tr("The folder above"));
    m_up->setAccessibleName(m_up->toolTip());
    m_path->setAccessibleName(tr("Folder"));
    m_entries->setAccessibleName(tr("Folders and files"));
    place->addWidget(m_up);
    place->addWidget(m_path, 1);
    layout->addLayout(place);
    layout->addWidget(m_entries, 1);
    layout->addWidget(m_error);
    setFocusProxy(m_entries);
    connect(m_up, &QToolButton::clicked, this, [this] { show(QFileInfo(m_folder).path()); });
    connect(m_path, &QLineEdit::returnPressed, this, [this] { show(m_path->text().trimmed()); });
    connect(m_entries, &QListWidget::currentRowChanged, this, &RemoteFolderView::chosenChanged);
    connect(m_entries, &QListWidget::itemActivated, this, [this](const QListWidgetItem *item) { activate(*item); });
    setEnabled(false);
}

void RemoteFolderView::start(ListFolder list, const QString &folder)
{
    m_list = std::move(list);
    setEnabled(true);
    show(folder);
}

void RemoteFolderView::show(const QString &folder)
{
    const JobSpec spec{tr("Read the folder %1").arg(folder), QStringLiteral("remote-folder"), JobLane::Interactive};
    m_queue.start<FolderListing>(
        spec,
        [list = m_list, path = std::filesystem::path(folder.toStdString())](const JobControl &control) {
            return list(path, control);
        },
        this,
        [this, folder](const Result<FolderListing> &result) {
            if (result.isOk())
                showListing(result.value());
            else if (result.isError() && m_folder.isEmpty() && !folder.isEmpty())
                show({}); // the last folder no longer exists: the home does
            else if (result.isError())
                m_error->setError(inWindowWords(result.error().message));
        });
}

void RemoteFolderView::showListing(const FolderListing &listing)
{
    m_error->setError({});
    m_listing = listing;
    m_folder = QString::fromStdString(listing.folder.string());
    m_path->setText(m_folder);
    m_up->setEnabled(m_folder != QLatin1String("/"));
    m_entries->clear();
    for (const FolderEntry &entry : listing.entries) {
        const auto icon = entry.model  ? QStyle::SP_FileDialogContentsView
                        : entry.folder ? QStyle::SP_DirIcon
                                       : QStyle::SP_FileIcon;
        auto *item = new QListWidgetItem(style()->standardIcon(icon), QString::fromStdString(entry.name), m_entries);
        if (entry.model)
            item->setToolTip(tr("A model"));
        else if (!entry.folder)
            item->setToolTip(tr("%1 bytes").arg(countText(entry.bytes)));
    }
    if (listing.more)
        m_error->setError(
            tr("Only the first %1 are shown. Type the rest of the path above.").arg(countText(kMostListed)));
    Q_EMIT chosenChanged();
}

std::optional<RemoteFolderView::Chosen> RemoteFolderView::chosen() const
{
    const int row = m_entries->currentRow();
    if (row < 0 || static_cast<std::size_t>(row) >= m_listing.entries.size())
        return std::nullopt;
    const FolderEntry &entry = m_listing.entries[static_cast<std::size_t>(row)];
    return Chosen{QDir(m_folder).filePath(QString::fromStdString(entry.name)), entry};
}

bool RemoteFolderView::folderIsModel() const
{
    return std::ranges::any_of(m_listing.entries, [](const FolderEntry &entry) {
        return !entry.folder && std::ranges::find(kModelMarks, entry.name) != kModelMarks.end();
    });
}

void RemoteFolderView::activate(const QListWidgetItem &item)
{
    m_entries->setCurrentRow(m_entries->row(&item));
    const auto now = chosen();
    if (now && now->entry.folder && !now->entry.model)
        show(now->path);
    else if (now)
        Q_EMIT activated();
}

} // namespace headscope

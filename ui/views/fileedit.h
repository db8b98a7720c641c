#pragma once

#include <QWidget>

#include <functional>
#include <utility>

class QLineEdit;

namespace headscope {

/// A line for the path of a file, or a folder, with a button that chooses one.
class FileEdit final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(FileEdit)
public:
    /// `filter` as QFileDialog takes it.
    FileEdit(const QString &accessibleName, const QString &filter = {}, QWidget *parent = nullptr);

    QString path() const;
    void setPath(const QString &path);
    /// Folders are chosen, not files.
    void setFolders(bool folders) { m_folders = folders; }
    void setHint(const QString &text);
    /// Another way to choose than the system's dialog: what it chooses from `start` (a path, or nothing) goes to
    /// `chosen`.
    using Chooser = std::function<void(const QString &start, const std::function<void(const QString &)> &chosen)>;
    void setChooser(Chooser chooser) { m_chooser = std::move(chooser); }
    /// Where the file dialog starts while there is no path here.
    void setStartFolder(const QString &path) { m_start = path; }

Q_SIGNALS:
    void edited();
    void chosen(const QString &path); ///< by the file dialog

private:
    void browse();
    void take(const QString &file);

    QLineEdit *m_edit = nullptr;
    QString m_filter;
    QString m_start;
    Chooser m_chooser;
    bool m_folders = false;
};

} // namespace headscope

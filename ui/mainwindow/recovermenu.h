#pragma once

#include "ui/state/studycontroller.h"

#include <QMenu>

namespace headscope {

class StudyThumbnails;

/// What the program has kept by itself, newest first: each study with a picture of its heads, the examples of its data
/// sets, its beams, and when it was kept.
class RecoverMenu final : public QMenu
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(RecoverMenu)
public:
    RecoverMenu(const QString &title, StudyController &controller, QWidget *parent);

Q_SIGNALS:
    void studyRequested(const QString &file);
    /// All of them are to be deleted.
    void deletionRequested();

private:
    void fill();
    void refreshPictures();

    StudyController &m_controller;
    StudyThumbnails *m_thumbnails = nullptr;
};

} // namespace headscope

#include "ui/mainwindow/recovermenu.h"

#include "ui/heatmap/viewpalette.h"
#include "ui/models/plaintip.h"
#include "ui/views/studythumbnails.h"

#include <QDir>
#include <QPixmap>
#include <QProxyStyle>

namespace headscope {

namespace {
constexpr QSize kPicture(72, 40);

/// Icons of menus are as large as the pictures.
class PictureStyle final : public QProxyStyle
{
public:
    int pixelMetric(PixelMetric metric, const QStyleOption *option, const QWidget *widget) const override
    {
        return metric == PM_SmallIconSize ? kPicture.width() : QProxyStyle::pixelMetric(metric, option, widget);
    }
};
} // namespace

RecoverMenu::RecoverMenu(const QString &title, StudyController &controller, QWidget *parent)
    : QMenu(title, parent), m_controller(controller),
      m_thumbnails(new StudyThumbnails(controller.queue(), kPicture, this))
{
    auto *style = new PictureStyle;
    style->setParent(this);
    setStyle(style);
    setToolTipsVisible(true);
    connect(this, &QMenu::aboutToShow, this, &RecoverMenu::fill);
    connect(m_thumbnails, &StudyThumbnails::changed, this, &RecoverMenu::refreshPictures);
}

void RecoverMenu::fill()
{
    clear();
    const QList<AutosavedStudy> studies = m_controller.files().keptStudies().list();
    for (const AutosavedStudy &study : studies) {
        const QString text = tr("%1 (%2)").arg(study.name, detailsOf(study).join(QStringLiteral(", ")));
        auto *action = addAction(QString(text).replace(u'&', QStringLiteral("&&")), this,
                                 [this, file = study.file] { Q_EMIT studyRequested(file); });
        action->setData(study.file);
        action->setToolTip(study.origin.isEmpty()
                               ? tr("Was never saved")
                               : plainTip(tr("Not saved in %1").arg(QDir::toNativeSeparators(study.origin))));
    }
    if (studies.isEmpty()) {
        addAction(tr("Everything is saved"))->setEnabled(false);
        return;
    }
    addSeparator();
    addAction(tr("Delete all of these"), this, &RecoverMenu::deletionRequested);
    refreshPictures();
}

/// They are painted in the background, and come while the menu is open.
void RecoverMenu::refreshPictures()
{
    const Appearance appearance = ViewPalette::matching(palette()).appearance;
    for (QAction *action : actions()) {
        const QString file = action->data().toString();
        const QImage picture = file.isEmpty() ? QImage() : m_thumbnails->imageOf(file, appearance);
        if (!picture.isNull())
            action->setIcon(QPixmap::fromImage(picture));
    }
}

} // namespace headscope

#pragma once

#include "core/results/study.h"
#include "ui/heatmap/viewpalette.h"
#include "ui/jobs/jobqueue.h"

#include <QDateTime>
#include <QHash>
#include <QImage>
#include <QObject>
#include <QString>

namespace headscope {

/// The grid of a study's heads, small: in-domain ablation deltas, or else importance, confidence, relevance, or one of
/// them out-of-domain. Null: it has none of these. Any thread may call it.
QImage studyThumbnail(const LoadedStudy &study, const QSize &size, Appearance appearance);

/// Thumbnails of study files. They are read and painted in the background, once for every version of a file.
class StudyThumbnails final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(StudyThumbnails)
public:
    StudyThumbnails(JobQueue &queue, const QSize &size, QObject *parent = nullptr);

    const QSize &size() const { return m_size; }
    /// Null: not known yet (changed() is emitted later), or there is none.
    QImage imageOf(const QString &file, Appearance appearance);

Q_SIGNALS:
    void changed(const QString &file);

private:
    struct Known
    {
        QDateTime time; ///< of the file
        Appearance appearance = Appearance::Light;
        QImage image;
    };

    JobQueue &m_queue;
    QSize m_size;
    QHash<QString, Known> m_known; ///< with a null image while it is being made
};

} // namespace headscope

#include "ui/pages/models/modelspage.h"

#include "core/exporting/csv.h"
#include "core/results/resultfolder.h"
#include "core/session/demo.h"
#include "ui/charts/chartexport.h"
#include "ui/heatmap/viewpalette.h"
#include "ui/models/numbertext.h"
#include "ui/models/plaintip.h"
#include "ui/pages/models/modelsmodel.h"
#include "ui/state/recentlist.h"
#include "ui/state/windowwords.h"
#include "ui/views/errorlabel.h"
#include "ui/views/fileedit.h"
#include "ui/views/pageparts.h"
#include "ui/views/studythumbnails.h"

#include <QDir>
#include <QEvent>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QListWidget>
#include <QPixmap>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QVBoxLayout>

#include <array>
#include <cstddef>
#include <filesystem>
#include <utility>

using namespace Qt::StringLiterals;

namespace headscope {

ModelsPage::ModelsPage(StudyState &state, StudyController &controller, QWidget *parent)
    : Page(state, controller, parent), m_model(new ModelsModel(this)), m_sorted(new QSortFilterProxyModel(this)),
      m_folder(new FileEdit(tr("Folder with results"), {}, this)), m_read(new QPushButton(tr("&Read"), this)),
      m_title(makeTitle(this)), m_summary(makeSelectableText(this)), m_empty(makeSelectableText(this)),
      m_error(new ErrorLabel(this)), m_table(new QTableView(this))
{
    m_sorted->setSourceModel(m_model);
    m_sorted->setSortRole(ModelsModel::kSortRole);
    m_title->setText(tr("<b>Models beside each other</b>"));
    m_folder->setFolders(true);
    m_folder->setHint(tr("the output of a plan, or any folder with results or studies"));
    m_empty->setText(tr(
        "Which model needs fewest heads? headscope-cli batch PLAN.json computes analyses of many models on many data "
        "sets. Choose its output folder here, or any folder with results and studies, and every model and data set "
        "becomes a line."));
    m_table->setModel(m_sorted);
    m_table->setAccessibleName(tr("Models"));
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(-1, Qt::AscendingOrder); // as they were found
    setUpRowTable(*m_table);
    m_table->horizontalHeader()->setSectionResizeMode(ModelsModel::RolesColumn, QHeaderView::Stretch);
    m_table->hide();
    makeRecent();
    auto *place = new QHBoxLayout;
    place->addWidget(m_folder, 1);
    place->addWidget(m_read);
    auto *layout = new QVBoxLayout(this);
    layout->addWidget(m_title);
    layout->addLayout(place);
    addWidgets(*layout, {m_error, m_summary, m_recentTitle});
    layout->addWidget(m_recent, 1);
    layout->addWidget(m_comparison, 1);
    layout->addWidget(m_empty);
    layout->addWidget(m_table, 1);
    layout->addStretch(0);
    m_summary->hide();
    m_read->setEnabled(false);
    connect(m_folder, &FileEdit::edited, this, [this] { m_read->setEnabled(!m_folder->path().isEmpty()); });
    connect(m_folder, &FileEdit::chosen, this, &ModelsPage::read);
    connect(m_read, &QPushButton::clicked, this, &ModelsPage::read);
}

/// What was studied last, with a picture of its heads each.
void ModelsPage::makeRecent()
{
    constexpr QSize kPicture(150, 110);
    m_thumbnails = new StudyThumbnails(m_controller.queue(), kPicture, this);
    m_recentTitle = makeTitle(this);
    m_recentTitle->setText(tr("Recent studies and demos"));
    m_comparison = new StudyComparison(m_controller.queue(), this);
    connect(m_comparison, &StudyComparison::changed, this, &ModelsPage::exportableChanged);
    m_recent = new QListWidget(this);
    m_recent->setAccessibleName(tr("Recent studies and demos"));
    m_recent->setViewMode(QListView::IconMode);
    m_recent->setIconSize(kPicture);
    m_recent->setGridSize(kPicture + QSize(30, 2 * fontMetrics().height() + 24));
    m_recent->setMovement(QListView::Static);
    m_recent->setResizeMode(QListView::Adjust);
    m_recent->setWordWrap(true);
    m_recent->setUniformItemSizes(true);
    m_recent->setFrameShape(QFrame::NoFrame);
    const auto open
        = [this](const QListWidgetItem *item) { Q_EMIT recentRequested(item->data(Qt::UserRole).toString()); };
    connect(m_recent, &QListWidget::itemActivated, this, open);
    connect(m_recent, &QListWidget::itemClicked, this, open);
    connect(m_thumbnails, &StudyThumbnails::changed, this, &ModelsPage::refreshPictures);
    follow(&m_state, &StudyState::modelChanged, &ModelsPage::refreshRecent);
}

/// Recent ones, then those that come with the program: there are some in a fresh profile too.
QList<NamedStudy> ModelsPage::studies()
{
    QList<NamedStudy> list;
    for (const QString &path : RecentList().paths()) {
        if (const QFileInfo info(path); info.isFile())
            list << NamedStudy{info.completeBaseName(), path};
    }
    const std::array names{tr("Demo: translation"), tr("Demo: classifier"), tr("Demo: pronunciation")};
    static_assert(names.size() == kDemos.size());
    for (std::size_t i = 0; i < kDemos.size(); ++i) {
        if (const auto file = demoStudy(kDemos[i]); file.isOk())
            list << NamedStudy{names[i], QString::fromStdString(file.value().string())};
    }
    return list;
}

void ModelsPage::refreshRecent()
{
    m_recent->clear();
    const QList<NamedStudy> all = studies();
    for (const NamedStudy &study : all) {
        auto *item = new QListWidgetItem(study.name, m_recent);
        item->setToolTip(plainTip(QDir::toNativeSeparators(study.file)));
        item->setTextAlignment(Qt::AlignHCenter | Qt::AlignTop);
        item->setData(Qt::UserRole, study.file);
    }
    m_comparison->setStudies(all);
    refreshPictures();
    const bool any = m_recent->count() > 0 && m_model->rowCount() == 0;
    m_recent->setVisible(any);
    m_recentTitle->setVisible(any);
}

void ModelsPage::refreshPictures()
{
    const Appearance appearance = ViewPalette::matching(palette()).appearance;
    QPixmap none(m_thumbnails->size()); // names stay where they are when pictures come
    none.fill(Qt::transparent);
    for (int row = 0; row < m_recent->count(); ++row) {
        const QImage image = m_thumbnails->imageOf(m_recent->item(row)->data(Qt::UserRole).toString(), appearance);
        m_recent->item(row)->setIcon(QIcon(image.isNull() ? none : QPixmap::fromImage(image)));
    }
}

void ModelsPage::changeEvent(QEvent *event)
{
    Page::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_recent)
        refreshPictures();
}

void ModelsPage::showEvent(QShowEvent *event)
{
    if (QStringList paths = RecentList().paths(); paths != m_recentPaths) { // a study has been opened or saved since
        m_recentPaths = std::move(paths);
        markDirty();
    }
    Page::showEvent(event);
}

PageInfo ModelsPage::info()
{
    return {.id = u"models"_s, .title = tr("M&odels"), .needsModel = false, .docksAside = true};
}

QString ModelsPage::ownError() const
{
    return m_error->errorText();
}

/// What a plan wrote, or the results of a study.
bool ModelsPage::isOwn(const QString &path) const
{
    const QDir folder(path);
    return folder.exists() && !folder.exists(u"config.json"_s)
        && (path.endsWith(u".headscope.results"_s) || folder.exists(u"results"_s));
}

void ModelsPage::openPath(const QString &path)
{
    m_folder->setPath(path);
    read();
}

void ModelsPage::read()
{
    const QString folder = m_folder->path();
    if (folder.isEmpty())
        return;
    m_error->setError({});
    const JobSpec spec{tr("Read the results in %1").arg(folder), u"models-folder"_s, JobLane::Interactive};
    m_controller.queue().start<ModelsInFolder>(
        spec,
        [path = std::filesystem::path(folder.toStdString())](const JobControl &control) {
            return modelsInFolder(path, control);
        },
        this,
        [this](const Result<ModelsInFolder> &result) {
            if (result.isError())
                m_error->setError(inWindowWords(result.error().message));
            if (result.isOk())
                show(result.value());
        });
}

void ModelsPage::show(const ModelsInFolder &models)
{
    m_model->setRows(models.table.rows());
    const bool any = m_model->rowCount() > 0;
    m_table->setVisible(any);
    m_empty->setVisible(!any);
    m_recent->hide();
    m_recentTitle->hide();
    m_summary->show();
    QStringList lines{
        any ? tr("%Ln results. A head is needed if the score falls below 99 % without it and all that went before; r "
                 "compares the heads with those on the model's first data set.",
                 nullptr, static_cast<int>(models.results))
            : tr("There are no results in this folder.")};
    if (models.damaged > 0)
        lines << tr("%Ln files are results that this version does not know.", nullptr,
                    static_cast<int>(models.damaged));
    if (models.more)
        lines << tr("Only the first %1 files were read.").arg(countText(kMostResultFiles));
    m_summary->setText(lines.join(u' '));
    Q_EMIT exportableChanged();
}

QList<ExportItem> ModelsPage::makeExportItems() const
{
    const QList<ExportItem> compared = m_comparison->exportItems();
    if (m_model->rowCount() == 0)
        return compared;
    ExportItem item = tableItem(tr("Models"), m_summary->text(), *m_sorted);
    item.csv = [rows = m_model->rows()] { return toCsv(rows); };
    return QList<ExportItem>{item} + compared;
}

} // namespace headscope

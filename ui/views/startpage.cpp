#include "ui/views/startpage.h"

#include "ui/views/errorlabel.h"
#include "ui/views/pageparts.h"
#include "ui/views/plainlabel.h"
#include "ui/views/studythumbnails.h"

#include <QCommandLinkButton>
#include <QDateTime>
#include <QDir>
#include <QEvent>
#include <QFileInfo>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QImage>
#include <QLabel>
#include <QListWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <vector>

namespace headscope {

namespace {
constexpr int kColumnWidth = 720;
constexpr QSize kThumbnail(120, 52);
} // namespace

StartPage::StartPage(StudyState &state, RecentList &recent, JobQueue &queue, QWidget *parent)
    : QWidget(parent), m_state(state), m_recent(recent), m_thumbnails(new StudyThumbnails(queue, kThumbnail, this)),
      m_list(new QListWidget(this)), m_listTitle(new QLabel(tr("Recent"), this)), m_busy(new PlainLabel(this)),
      m_error(new ErrorLabel(this))
{
    auto *title = new QLabel(tr("Which attention heads does your model need?"), this);
    QFont large = font();
    large.setPointSizeF(large.pointSizeF() * 1.7);
    title->setFont(large);
    title->setWordWrap(true);
    auto *lead = new QLabel(
        tr("Open a trained translation model, text classifier or language model and one or two data sets: "
           "Headscope removes every head in turn, measures the loss, and lets you mask, prune and explore."),
        this);
    lead->setWordWrap(true);
    auto *drop = new QLabel(
        tr("or drop a model folder, a study, a table or two parallel text files anywhere in this window"), this);
    drop->setAlignment(Qt::AlignCenter);
    drop->setWordWrap(true);
    drop->setFrameShape(QFrame::StyledPanel);
    drop->setMargin(18);
    makeBold(*m_listTitle);
    m_list->setAccessibleName(tr("Recent models and studies"));
    m_list->setIconSize(kThumbnail);
    m_list->setMaximumHeight(230);

    auto *column = new QVBoxLayout;
    column->setSpacing(10);
    column->addStretch(2);
    addWidgets(*column, {title, lead, m_error, m_busy, makeButtons(), drop, m_listTitle, m_list});
    column->addStretch(3);
    auto *row = new QHBoxLayout(this);
    row->addStretch(1);
    auto *holder = new QWidget(this);
    holder->setLayout(column);
    holder->setMaximumWidth(kColumnWidth);
    row->addWidget(holder, 1000); // first: the stretches share what is left
    row->addStretch(1);

    connect(m_list, &QListWidget::itemActivated, this,
            [this](const QListWidgetItem *item) { Q_EMIT recentRequested(item->data(Qt::UserRole).toString()); });
    connect(m_list, &QListWidget::itemClicked, this,
            [this](const QListWidgetItem *item) { Q_EMIT recentRequested(item->data(Qt::UserRole).toString()); });
    connect(&m_recent, &RecentList::changed, this, &StartPage::refreshRecent);
    connect(m_thumbnails, &StudyThumbnails::changed, this, &StartPage::refreshThumbnails);
    connect(&m_state, &StudyState::errorChanged, this, &StartPage::refreshError);
    setBusyText({});
    setKept({});
    refreshRecent();
    refreshError();
}

QWidget *StartPage::makeButtons()
{
    auto *buttons = new QWidget(this);
    auto *layout = new QVBoxLayout(buttons);
    layout->setContentsMargins({});
    layout->setSpacing(4);
    const auto add = [&](const QString &icon, const QString &text, const QString &description, auto signal) {
        auto *button = new QCommandLinkButton(text, description, buttons);
        button->setIcon(QIcon(QStringLiteral(":/icons/%1.svg").arg(icon)));
        button->setIconSize({28, 28});
        connect(button, &QCommandLinkButton::clicked, this, signal);
        layout->addWidget(button);
        return button;
    };
    layout->addWidget(makeDemos(buttons));
    add(QStringLiteral("open"), tr("Open &model folder…"),
        tr("A Hugging Face folder with config.json, weights and tokenizer files"), &StartPage::modelRequested);
    add(QStringLiteral("data"), tr("Open &study…"), tr("A saved study (.headscope) with its results"),
        &StartPage::studyRequested);
    add(QStringLiteral("train"), tr("&Train a model…"),
        tr("From two parallel text files or a table of labelled texts; every epoch can be studied"),
        &StartPage::trainingRequested);
    m_last = add(QStringLiteral("undo"), tr("&Continue where you left off"), QString(),
                 [this] { Q_EMIT recentRequested(m_lastFile); });
    return buttons;
}

/// Two beside each other, each with a picture of its heads.
QWidget *StartPage::makeDemos(QWidget *parent)
{
    auto *row = new QWidget(parent);
    auto *layout = new QGridLayout(row);
    layout->setContentsMargins({});
    layout->setSpacing(4);
    layout->setColumnStretch(0, 1);
    layout->setColumnStretch(1, 1);
    const std::tuple<Demo, QString, QString> demos[]
        = {{Demo::Translation, tr("Open the &demo"),
            tr("A small English–French model trained by Headscope itself, with its main results")},
           {Demo::Classifier, tr("Open the c&lassifier demo"),
            tr("It says how many objects the main verb of a sentence has")},
           {Demo::Pronunciation, tr("Open the pro&nunciation demo"),
            tr("How a village says a word: with a positional head and one for rare words")}};
    for (const auto &[demo, title, about] : demos) {
        auto *button = new QCommandLinkButton(title, about, row);
        button->setIcon(QIcon(QStringLiteral(":/icons/demo.svg")));
        button->setIconSize({28, 28});
        connect(button, &QCommandLinkButton::clicked, this, [this, demo = demo] { Q_EMIT demoRequested(demo); });
        layout->addWidget(button, layout->count() / 2, layout->count() % 2);
        m_demos[static_cast<std::size_t>(demo)] = button;
    }
    setFocusProxy(m_demos.front());
    return row;
}

void StartPage::refreshDemos()
{
    const Appearance appearance = ViewPalette::matching(palette()).appearance;
    for (const Demo demo : kDemos) {
        const auto study = demoStudy(demo);
        const QImage image = study.isOk()
                               ? m_thumbnails->imageOf(QString::fromStdString(study.value().string()), appearance)
                               : QImage();
        QCommandLinkButton &button = *m_demos[static_cast<std::size_t>(demo)];
        QPixmap none(kThumbnail); // nothing moves when the picture comes
        none.fill(Qt::transparent);
        button.setIconSize(kThumbnail);
        button.setIcon(QIcon(image.isNull() ? none : QPixmap::fromImage(image)));
    }
}

void StartPage::setBusyText(const QString &text)
{
    m_busy->setText(text);
    m_busy->setVisible(!text.isEmpty());
}

void StartPage::setKept(const AutosavedStudy &study)
{
    m_lastFile = study.file;
    m_last->setVisible(!study.file.isEmpty());
    m_last->setDescription(tr("%1: not saved (%2). More under File > Recover")
                               .arg(study.name, detailsOf(study).join(QStringLiteral(", "))));
}

void StartPage::refreshRecent()
{
    m_list->clear();
    const QStringList paths = m_recent.paths();
    for (const QString &path : paths) {
        const QFileInfo info(path);
        auto *item = new QListWidgetItem(QStringLiteral("%1\n%2").arg(info.fileName(), QDir::toNativeSeparators(path)),
                                         m_list);
        item->setData(Qt::UserRole, path);
    }
    refreshThumbnails();
    m_list->setVisible(!paths.isEmpty());
    m_listTitle->setVisible(!paths.isEmpty());
}

/// Only while the page is visible. Entries without a picture keep its place free, so that names are aligned.
void StartPage::refreshThumbnails()
{
    if (!isVisible())
        return;
    refreshDemos();
    const Appearance appearance = ViewPalette::matching(palette()).appearance;
    std::vector<QImage> images;
    for (int row = 0; row < m_list->count(); ++row) {
        const QString path = m_list->item(row)->data(Qt::UserRole).toString();
        images.push_back(QFileInfo(path).isFile() ? m_thumbnails->imageOf(path, appearance) : QImage());
    }
    const bool any = std::ranges::any_of(images, [](const QImage &image) { return !image.isNull(); });
    QPixmap none(kThumbnail);
    none.fill(Qt::transparent);
    for (int row = 0; row < m_list->count(); ++row) {
        const QImage &image = images[static_cast<std::size_t>(row)];
        m_list->item(row)->setIcon(!any ? QIcon() : QIcon(image.isNull() ? none : QPixmap::fromImage(image)));
    }
}

void StartPage::showEvent(QShowEvent *event)
{
    QWidget::showEvent(event);
    refreshRecent(); // files may have changed
}

void StartPage::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_list)
        refreshThumbnails();
}

void StartPage::refreshError()
{
    QStringList errors{m_state.error(ErrorPlace::Model), m_state.error(ErrorPlace::Study)};
    errors.removeAll(QString());
    m_error->setError(errors.join(u'\n'));
}

} // namespace headscope

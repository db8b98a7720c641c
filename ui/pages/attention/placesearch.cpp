#include "ui/pages/attention/placesearch.h"

#include "core/exporting/csv.h"
#include "ui/charts/chartexport.h"
#include "ui/heatmap/attentiontable.h"
#include "ui/models/numbertext.h"
#include "ui/state/studycontroller.h"
#include "ui/views/flowlayout.h"
#include "ui/views/manifesttext.h"
#include "ui/views/pageparts.h"
#include "ui/views/plainlabel.h"

#include <QComboBox>
#include <QHeaderView>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalBlocker>
#include <QTableWidget>
#include <QVBoxLayout>

#include <cstddef>
#include <cstdlib>
#include <utility>

using namespace Qt::StringLiterals;

namespace headscope {
namespace {

/// What can be looked for, in the order of the box.
enum class Sought { Any, Token, Tag, Offset };

QString shownToken(const std::string &text)
{
    return axisLabel({text, 0, false}).text;
}

} // namespace

PlaceSearch::PlaceSearch(StudyState &state, StudyController &controller, QWidget *parent)
    : QWidget(parent), m_state(state), m_controller(controller)
{
    setupUi();
    connect(m_what, &QComboBox::currentIndexChanged, this, &PlaceSearch::refreshWord);
    connect(m_word, &QLineEdit::returnPressed, this, [this] {
        if (!m_job && m_search->isEnabled())
            start();
    });
    connect(m_search, &QPushButton::clicked, this, [this] {
        if (m_job)
            m_controller.queue().cancel(*m_job);
        else
            start();
    });
    connect(m_table, &QTableWidget::currentCellChanged, this, [this](int row) { choose(row); });
    connect(m_table, &QTableWidget::cellClicked, this, [this](int row) { choose(row); });
    refreshWord();
    refresh();
}

void PlaceSearch::setupUi()
{
    m_title = new PlainLabel(this);
    m_title->setWordWrap(true);
    m_what = new QComboBox(this);
    m_what->addItems({tr("any token"), tr("a token or word"), tr("a part of speech"), tr("an offset")});
    m_what->setAccessibleName(tr("What the head attends to"));
    m_word = new QLineEdit(this);
    m_search = new QPushButton(tr("&Search"), this);
    m_note = new PlainLabel(this);
    m_note->setWordWrap(true);
    m_table = new QTableWidget(0, 3, this);
    m_table->setHorizontalHeaderLabels({tr("Weight"), tr("From → to"), tr("Sentence")});
    m_table->setAccessibleName(tr("Sentences found"));
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 6);
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_table->horizontalHeader()->setHighlightSections(false);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setShowGrid(false);
    m_table->setWordWrap(false);
    m_table->setTabKeyNavigation(false);
    m_table->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    auto *row = new FlowLayout;
    addWidgets(*row, {m_what, m_word, m_search});
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 4, 6, 0);
    layout->addWidget(m_title);
    layout->addLayout(row);
    layout->addWidget(m_note);
    layout->addWidget(m_table, 1);
}

QString PlaceSearch::note() const
{
    return m_note->text();
}

void PlaceSearch::refreshWord()
{
    const auto sought = static_cast<Sought>(m_what->currentIndex());
    m_word->setVisible(sought != Sought::Any);
    m_word->setPlaceholderText(sought == Sought::Token ? tr("dog")
                               : sought == Sought::Tag ? QStringLiteral("VERB")
                                                       : QStringLiteral("-1"));
    m_word->setAccessibleName(sought == Sought::Token ? tr("The token or word")
                              : sought == Sought::Tag ? tr("The part of speech, as the trees call it")
                                                      : tr("How many tokens after the one that attends"));
    m_word->setToolTip(sought == Sought::Token ? tr("As it is spelt; special tokens too, such as [SEP] or </s>")
                       : sought == Sought::Tag
                           ? tr("As the trees call it: NOUN, VERB, ADJ, PRON, …; needs a data set with trees")
                           : tr("−1: the token before the one that attends, 1: the one after it. Of "
                                "cross-attention it is counted from the diagonal"));
}

void PlaceSearch::refresh()
{
    const auto &head = m_state.currentHead();
    const Domain domain = m_state.sentenceDomain();
    m_title->setText(head ? tr("Find the sentences (%1) in which %2 attends most to")
                                .arg(domainName(domain), QString::fromStdString(toText(*head)))
                          : tr("Select a head to search for what it attends to."));
    const QString why = m_controller.whyNotReady();
    m_search->setText(m_job ? tr("&Stop") : tr("&Search"));
    m_search->setEnabled(m_job || (head && m_state.data(domain) && why.isEmpty()));
    m_search->setToolTip(m_job            ? tr("Keeps what has been found so far")
                         : !why.isEmpty() ? why
                                          : tr("Goes through the attention of the whole data set, in the background"));
    if (m_result && m_result->manifest.weightsHash != (m_state.model() ? m_state.model()->weightsHash : std::string()))
        show(nullptr); // of another model
}

void PlaceSearch::say(const QString &text)
{
    m_note->setText(text);
}

/// What is searched for; nothing, and the note says why, where that is not said well.
std::optional<FindSpec> PlaceSearch::specOf(const HeadRef &head)
{
    FindSpec spec;
    spec.run = m_controller.runOptions();
    spec.mask = m_state.mask();
    spec.head = toText(head);
    spec.ownOutput = m_ownOutput;
    const QString word = m_word->text().trimmed();
    const auto sought = static_cast<Sought>(m_what->currentIndex());
    if (sought != Sought::Any && word.isEmpty()) {
        say(tr("Say what to look for."));
        m_word->setFocus();
        return std::nullopt;
    }
    if (sought == Sought::Token)
        spec.token = word.toStdString();
    if (sought == Sought::Tag)
        spec.tag = word.toUpper().toStdString();
    if (sought == Sought::Offset) {
        bool isNumber = false;
        spec.offset = QString(word).replace(u'−', u'-').toInt(&isNumber);
        if (!isNumber || std::abs(*spec.offset) > kMostOffset) {
            say(tr("An offset is a whole number, such as -1."));
            return std::nullopt;
        }
    }
    return spec;
}

void PlaceSearch::start()
{
    const auto session = m_state.session();
    const auto &head = m_state.currentHead();
    if (!session || !head)
        return;
    const auto asked = specOf(*head);
    if (!asked)
        return;
    const FindSpec &spec = *asked;
    const Domain domain = m_state.sentenceDomain();
    m_askedOwnOutput = spec.ownOutput;
    m_domain = domain;
    show(nullptr);
    say(tr("Searching…"));
    const JobSpec job{tr("Search of %1").arg(QString::fromStdString(spec.head)), u"findPlaces"_s, JobLane::Batch};
    m_job = m_controller.queue().start<FindResult>(
        job,
        [session, domain, spec = *asked](const JobControl &control, const Publish<FindResult> &publish) {
            return session->run(domain, spec, control, publish);
        },
        this,
        [this](const Result<FindResult> &result) {
            m_job.reset();
            if (result.isOk())
                show(std::make_shared<const FindResult>(result.value()));
            else if (result.isError())
                say(QString::fromStdString(result.error().message));
            else
                say(m_result ? tr("Stopped. %1").arg(summary()) : tr("Stopped."));
            refresh();
        },
        [this](const std::shared_ptr<const FindResult> &partial) { show(partial); });
    refresh();
}

QString PlaceSearch::summary() const
{
    return tr("%1 of %2 examples have such a place; the weight of their best one is %3 on average.")
        .arg(countText(m_result->matching), countText(m_result->examples), numberText(m_result->meanWeight, 3));
}

void PlaceSearch::show(std::shared_ptr<const FindResult> result)
{
    m_result = std::move(result);
    const QSignalBlocker blocker(m_table);
    m_table->setRowCount(m_result ? static_cast<int>(m_result->places.size()) : 0);
    for (int row = 0; row < m_table->rowCount(); ++row) {
        const FoundPlace &place = m_result->places[static_cast<std::size_t>(row)];
        const QStringList texts{numberText(place.weight, 3),
                                shownToken(place.queryToken) + u" → "_s + shownToken(place.keyToken),
                                QString::fromStdString(place.text)};
        for (int column = 0; column < 3; ++column) {
            auto *item = new QTableWidgetItem(texts[column]);
            if (column == 0)
                item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
            item->setToolTip(texts[column].toHtmlEscaped());
            m_table->setItem(row, column, item);
        }
    }
    m_table->setCurrentCell(-1, -1);
    say(m_result ? summary() : QString());
    Q_EMIT found();
}

void PlaceSearch::choose(int row)
{
    if (!m_result || row < 0 || row >= static_cast<int>(m_result->places.size()))
        return;
    Q_EMIT placeChosen({m_domain, m_result->head, m_result->places[static_cast<std::size_t>(row)], m_askedOwnOutput});
}

ExportItem PlaceSearch::exportItem() const
{
    if (!m_result || m_result->places.empty())
        return {};
    ExportItem item
        = tableItem(tr("Places of %1").arg(QString::fromStdString(toText(m_result->head))),
                    tr("Where %1 attends to (%2) in %3, by %4. %5")
                        .arg(QString::fromStdString(toText(m_result->head)), QString::fromStdString(m_result->what),
                             QString::fromStdString(m_result->manifest.data),
                             QString::fromStdString(m_result->manifest.model), summary()),
                    *m_table->model());
    item.csv = [result = m_result] { return toCsv(*result); };
    item.manifestJson = manifestsText(m_state, {&m_result->manifest});
    return item;
}

} // namespace headscope

#include "ui/pages/models/studycomparison.h"

#include "core/exporting/csv.h"
#include "core/results/compare.h"
#include "core/results/study.h"
#include "ui/models/numbertext.h"
#include "ui/models/plaintip.h"
#include "ui/state/windowwords.h"
#include "ui/views/errorlabel.h"
#include "ui/views/flowlayout.h"
#include "ui/views/pageparts.h"

#include <QComboBox>
#include <QDir>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>
#include <vector>

using namespace Qt::StringLiterals;

namespace headscope {

namespace {
template<typename T>
const AnyResult *firstOf(const std::vector<AnyResult> &results)
{
    const auto found = std::ranges::find_if(results, [](const AnyResult &one) { return one.is<T>(); });
    return found == results.end() ? nullptr : &*found;
}

/// Nothing: one of them has no such result.
template<typename T>
std::optional<Result<CompareResult>> comparisonOf(const std::vector<AnyResult> &a, const std::vector<AnyResult> &b)
{
    const AnyResult *first = firstOf<T>(a);
    const AnyResult *second = firstOf<T>(b);
    return first && second ? std::optional(compareResults(*first, *second)) : std::nullopt;
}
} // namespace

Result<CompareResult> compareStudies(const std::string &a, const std::string &b)
{
    const Result<LoadedStudy> first = loadStudy(a);
    if (first.isError())
        return first.error();
    const Result<LoadedStudy> second = loadStudy(b);
    if (second.isError())
        return second.error();
    const std::vector<AnyResult> &ofA = first.value().results.front();
    const std::vector<AnyResult> &ofB = second.value().results.front();
    std::optional<Result<CompareResult>> found = comparisonOf<AblationResult>(ofA, ofB);
    if (!found)
        found = comparisonOf<ImportanceResult>(ofA, ofB);
    if (!found)
        found = comparisonOf<ConfidenceResult>(ofA, ofB);
    if (!found)
        found = comparisonOf<RelevanceResult>(ofA, ofB);
    if (!found)
        return badInput("The two studies have no result in common: compute the ablation of both in-domain.");
    return *std::move(found);
}

StudyComparison::StudyComparison(JobQueue &queue, QWidget *parent)
    : QWidget(parent), m_queue(queue), m_a(new QComboBox(this)), m_b(new QComboBox(this)),
      m_compare(new QPushButton(tr("&Compare"), this)), m_error(new ErrorLabel(this)), m_chart(new ScatterChart(this))
{
    auto *label = new QLabel(tr("Head by &head:"), this);
    label->setBuddy(m_a);
    m_a->setAccessibleName(tr("First study"));
    m_b->setAccessibleName(tr("Second study"));
    auto *top = new QWidget(this);
    auto *flow = new FlowLayout(top);
    for (QComboBox *box : {m_a, m_b}) {
        letShrink(*box, 24);
        connect(box, &QComboBox::currentIndexChanged, this, &StudyComparison::refreshButton);
    }
    addWidgets(*flow, {label, m_a, m_b, m_compare});
    m_chart->setAccessibleName(tr("Scatter of the heads of two studies"));
    m_chart->setEmptyText(tr("Choose two studies of one model, or of checkpoints of one architecture: every head is a "
                             "point, with its value in the one and in the other."));
    m_chart->setTexts([this](const HeadRef &head) { return headText(head); });
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins({});
    addWidgets(*layout, {top, m_error});
    layout->addWidget(m_chart, 1);
    connect(m_compare, &QPushButton::clicked, this, &StudyComparison::compare);
    refreshButton();
}

void StudyComparison::setStudies(const QList<NamedStudy> &studies)
{
    const QString before[] = {m_a->currentData().toString(), m_b->currentData().toString()};
    for (QComboBox *box : {m_a, m_b}) {
        const QSignalBlocker blocker(box);
        box->clear();
        for (const NamedStudy &study : studies) {
            box->addItem(study.name, study.file);
            box->setItemData(box->count() - 1, plainTip(QDir::toNativeSeparators(study.file)), Qt::ToolTipRole);
        }
        box->setCurrentIndex(std::min(box == m_a ? 0 : 1, box->count() - 1));
    }
    choose(before[0], before[1]);
    refreshButton();
}

void StudyComparison::choose(const QString &a, const QString &b)
{
    for (const auto &[box, file] : {std::pair(m_a, a), std::pair(m_b, b)}) {
        if (const int at = box->findData(file); at >= 0)
            box->setCurrentIndex(at);
    }
}

void StudyComparison::refreshButton()
{
    const bool two = m_a->currentIndex() >= 0 && m_b->currentIndex() >= 0
                  && m_a->currentData().toString() != m_b->currentData().toString();
    m_compare->setEnabled(two);
    m_compare->setToolTip(two ? tr("The values of every head in both studies") : tr("Choose two different studies"));
}

void StudyComparison::compare()
{
    const std::string a = m_a->currentData().toString().toStdString();
    const std::string b = m_b->currentData().toString().toStdString();
    const JobSpec spec{tr("Compare %1 with %2").arg(m_a->currentText(), m_b->currentText()), u"compare-studies"_s,
                       JobLane::Interactive};
    m_queue.start<CompareResult>(
        spec, [a, b](const JobControl &) { return compareStudies(a, b); }, this,
        [this](const Result<CompareResult> &result) { show(result); });
}

void StudyComparison::show(const Result<CompareResult> &result)
{
    m_error->setError(result.isError() ? inWindowWords(result.error().message) : QString());
    m_result = result.isOk() ? std::optional(result.value()) : std::nullopt;
    m_chart->setSeries(m_result ? makeScatterSeries(*m_result, QString::fromStdString(m_result->a.name),
                                                    QString::fromStdString(m_result->b.name))
                                : ScatterSeries());
    Q_EMIT changed();
}

QString StudyComparison::errorText() const
{
    return m_error->errorText();
}

QString StudyComparison::headText(const HeadRef &head) const
{
    if (!m_result)
        return {};
    const auto found = std::ranges::find(m_result->heads, head, &HeadDifference::head);
    if (found == m_result->heads.end())
        return {};
    constexpr int kDecimals = 4;
    const auto side = [&](const std::string &name, double value) {
        return tr("%1: %2").arg(QString::fromStdString(name), numberText(value, kDecimals));
    };
    return QStringList{QString::fromStdString(toText(head)), side(m_result->a.name, found->a),
                       side(m_result->b.name, found->b)}
        .join(u'\n');
}

QList<ExportItem> StudyComparison::exportItems() const
{
    if (!m_result)
        return {};
    ScatterPicture picture = m_chart->picture();
    picture.palette = ViewPalette::light();
    picture.hovered.reset();
    ExportItem item;
    item.name = tr("%1, %2 and %3").arg(picture.series.measure, picture.series.xName, picture.series.yName);
    item.caption
        = tr("%1 of every head in %2 against %3. %4. Dashed: equal in both.")
              .arg(picture.series.measure, picture.series.xName, picture.series.yName, correlationText(picture.series));
    item.size = QSizeF(760, 480);
    item.paint = [picture](QPainter &painter, const QRectF &rect) { (void)paintScatterChart(painter, rect, picture); };
    item.csv = [result = *m_result] { return toCsv(result); };
    return {item};
}

} // namespace headscope

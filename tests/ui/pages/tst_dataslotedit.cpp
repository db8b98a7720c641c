// The forms in which data are chosen: what is named is meant, what is there is shown, nothing of another form is left.
#include "tests/support/picture.h"
#include "ui/views/dataslotedit.h"
#include "ui/views/parallelfields.h"
#include "ui/views/runningtextfields.h"

#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QTest>

using namespace Qt::StringLiterals;
using namespace headscope;

namespace {
constexpr int kPatienceMs = 5000;
}

class TestDataSlotEdit : public QObject
{
    Q_OBJECT

    QTemporaryDir m_dir;
    JobQueue m_queue;

    std::string write(const QString &name, const char *text)
    {
        QFile file(m_dir.filePath(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(text) <= 0)
            QTest::qFail("a file could not be written", __FILE__, __LINE__);
        return file.fileName().toStdString();
    }
    DataSlotOptions languageModel() const
    {
        DataSlotOptions options{.title = u"In-domain data"_s, .tag = u"preview"_s, .emptyText = {}};
        options.forms = {DataForm::RunningText, DataForm::Table};
        options.tableRows = TableRows::MinimalPairs;
        return options;
    }

private Q_SLOTS:
    void runningTextIsTakenAsItIsCut()
    {
        DataSlotEdit edit(languageModel(), m_queue);
        auto *fields = edit.findChild<RunningTextFields *>();
        QVERIFY(fields && fields->isVisibleTo(&edit));
        // By keyboard: the path, what a text is, the stride, what windows predict and begin with.
        const std::string file = write(u"text.txt"_s, "One line.\nAnother.\n\nA second document.\n");
        QTest::keyClicks(fields->findChild<QLineEdit *>(), QString::fromStdString(file));
        QTest::keyClick(fields->findChild<QComboBox *>(), Qt::Key_Down);
        auto *stride = fields->findChild<QSpinBox *>();
        stride->selectAll();
        QTest::keyClicks(stride, u"32"_s);
        const auto boxes = fields->findChildren<QComboBox *>();
        QCOMPARE(boxes.size(), 3);
        QTest::keyClick(boxes.at(1), Qt::Key_Down);
        QTest::keyClick(boxes.at(2), Qt::Key_Down);
        QVERIFY(!edit.isAcceptable()); // not looked at yet
        QTRY_VERIFY_WITH_TIMEOUT(edit.isAcceptable(), kPatienceMs);
        DataSource wanted;
        wanted.text = file;
        wanted.textUnit = TextUnit::Document;
        wanted.stride = 32;
        wanted.windowPredictions = WindowPredictions::Hf;
        wanted.windowStart = WindowStart::Bos;
        QCOMPARE(*edit.source(), wanted);
        auto *rows = edit.findChild<QTableWidget *>();
        QCOMPARE(rows->columnCount(), 1);
        QCOMPARE(rows->rowCount(), 2);
        edit.resize(520, 520);
        keepPicture(edit, u"data-running-text"_s);
    }

    void bleusWordsAreChosenOrTyped()
    {
        DataSlotOptions options{.title = u"In-domain data"_s, .tag = u"preview"_s, .emptyText = {}};
        DataSlotEdit edit(options, m_queue);
        auto *fields = edit.findChild<ParallelFields *>();
        const auto paths = fields->findChildren<QLineEdit *>();
        QTest::keyClicks(paths.front(), QString::fromStdString(write(u"zh.en"_s, "One.\n")));
        auto *box = fields->findChild<QComboBox *>();
        QCOMPARE(edit.source()->bleuTokenize, std::string()); // the language decides
        QTest::keyClick(box, Qt::Key_Down);
        QTest::keyClick(box, Qt::Key_Down);
        QCOMPARE(edit.source()->bleuTokenize, std::string("zh"));
        box->lineEdit()->selectAll();
        QTest::keyClicks(box->lineEdit(), u"flores200:/models/spm.model"_s);
        QCOMPARE(edit.source()->bleuTokenize, std::string("flores200:/models/spm.model"));
        DataSource given = *edit.source();
        DataSlotEdit other(options, m_queue);
        other.setSource(given);
        QCOMPARE(*other.source(), given);
        given.bleuTokenize.clear();
        other.setSource(given);
        QCOMPARE(*other.source(), given);
    }

    void minimalPairsHaveTheirColumns()
    {
        DataSlotEdit edit(languageModel(), m_queue);
        DataSource table;
        table.table = write(u"pairs.tsv"_s, "good\tbad\tkind\nA dog runs.\tA dog run.\tagreement\n");
        table.textColumn = "good";
        table.worseColumn = "bad";
        table.paradigmColumn = "kind";
        edit.setSource(table);
        QCOMPARE(*edit.source(), table);
        QTRY_VERIFY_WITH_TIMEOUT(edit.isAcceptable(), kPatienceMs);
        auto *rows = edit.findChild<QTableWidget *>();
        QCOMPARE(rows->columnCount(), 3);
        QCOMPARE(rows->item(0, 1)->text(), u"A dog run."_s);
        QCOMPARE(rows->item(0, 2)->text(), u"agreement"_s);
        QVERIFY2(edit.errorText().isEmpty(), qPrintable(edit.errorText()));
        edit.resize(520, 520);
        keepPicture(edit, u"data-minimal-pairs"_s);
    }

    // A form that the model would not be offered is shown if it is there, and left for good by choosing another.
    void whatIsThereIsShown()
    {
        DataSlotEdit edit(languageModel(), m_queue);
        DataSource parallel;
        parallel.source = write(u"a.en"_s, "A dog.\n");
        parallel.reference = write(u"a.fr"_s, "Un chien.\n");
        parallel.name = "mine";
        edit.setSource(parallel);
        QCOMPARE(*edit.source(), parallel);
        auto *forms = edit.findChild<QComboBox *>(QString(), Qt::FindDirectChildrenOnly);
        QCOMPARE(forms->count(), 3);
        QTest::keyClicks(edit.findChild<RunningTextFields *>()->findChild<QLineEdit *>(),
                         QString::fromStdString(parallel.source));
        DataSource text;
        text.text = parallel.source;
        QCOMPARE(*edit.source(), text);
        QCOMPARE(forms->count(), 2);
    }
};

QTEST_MAIN(TestDataSlotEdit)
#include "tst_dataslotedit.moc"

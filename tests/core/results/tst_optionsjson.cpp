// Options as the key of a result has them: only those that somebody changed, and all of them read back.
#include "core/analysis/ablationspec.h"
#include "core/analysis/evaluationspec.h"
#include "core/analysis/importancespec.h"
#include "core/analysis/pruningspec.h"
#include "core/analysis/relevancespec.h"
#include "core/analysis/rolesspec.h"
#include "core/analysis/searchspec.h"
#include "core/analysis/specoptions.h"
#include "core/analysis/speedspec.h"
#include "core/results/optionsjson.h"
#include "core/results/results.h"

#include <QTest>

#include <string>
#include <vector>

using namespace headscope;

namespace {

/// Gives every option another value than the usual one, and counts them.
class Changer
{
public:
    int count = 0;

    void mask(const char *, HeadMask &value) { change(value, HeadMask{{HeadKind::Encoder, 1, 2}}); }
    void mask(const char *, std::optional<HeadMask> &value)
    {
        change(value, std::optional(HeadMask{{HeadKind::Cross, 0, 1}}));
    }
    void flag(const char *, bool &value, const char *help)
    {
        explain(help);
        change(value, !value);
    }
    template<typename T>
    void integer(const char *, T &value, const IntegerRange &range, const char *help)
    {
        explain(help);
        change(value, T(static_cast<int>(range.least) + 17));
    }
    template<typename T>
    void real(const char *, T &value, const Range &range, const char *help)
    {
        explain(help);
        change(value, T(range.most <= 1 ? 0.25 : 1.75));
    }
    void bytes(const char *, std::int64_t &value, const char *help)
    {
        explain(help);
        change(value, std::int64_t(1) << 30);
    }
    void text(const char *, std::string &value, const char *, const char *help)
    {
        explain(help);
        change(value, std::string("a word"));
    }
    template<typename E>
    void choice(const char *, E &value, const char *help)
    {
        explain(help);
        change(value, value == E(0) ? E(1) : E(0));
    }
    void integers(const char *, std::vector<std::int64_t> &values, const IntegerRange &, const char *help)
    {
        explain(help);
        change(values, {3, 5});
    }
    template<typename E>
    void choices(const char *, std::vector<E> &values, const char *help)
    {
        explain(help);
        change(values, {E(1)});
    }

private:
    template<typename T>
    void change(T &value, T to)
    {
        QVERIFY(value != to);
        value = std::move(to);
        ++count;
    }
    static void explain(const char *help) { QVERIFY(std::string(help).size() > 5); }
};

template<typename Spec>
void readBack()
{
    QVERIFY(optionsOf(Spec()).empty()); // nothing was changed, nothing is said
    Spec spec;
    Changer changer;
    describe(changer, spec);
    const nlohmann::json options = optionsOf(spec);
    QCOMPARE(static_cast<int>(options.size()), changer.count); // names differ from each other
    QCOMPARE(QByteArray::fromStdString(optionsOf(optionsFrom<Spec>(options)).dump()),
             QByteArray::fromStdString(options.dump()));
    // As a file has it.
    QVERIFY(optionsOf(optionsFrom<Spec>(nlohmann::json::parse(options.dump()))) == options);
}

} // namespace

class TestOptionsJson : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyOptionIsReadBack()
    {
        readBack<RunOptions>();
        readBack<EvaluationSpec>();
        readBack<AblationSpec>();
        readBack<ImportanceSpec>();
        readBack<PruningSpec>();
        readBack<SearchSpec>();
        readBack<RolesSpec>();
        readBack<RelevanceSpec>();
        readBack<SpeedSpec>();
    }

    void namesAreThoseOfTheCommandLine()
    {
        AblationSpec spec;
        spec.replacement = Replacement::Mean;
        spec.resamples = 10;
        QCOMPARE(QByteArray::fromStdString(optionsOf(spec).dump()), QByteArray(R"({"replace":"mean","resamples":10})"));
    }

    void valuesOfAnotherKindAreRefused_data()
    {
        QTest::addColumn<QByteArray>("options");
        QTest::addColumn<QByteArray>("said");
        QTest::newRow("fraction") << QByteArray(R"({"step": 1.5})") << QByteArray("whole number");
        QTest::newRow("text for a number") << QByteArray(R"({"resamples": "many"})") << QByteArray("\"resamples\"");
        QTest::newRow("number for a flag") << QByteArray(R"({"reverse": 1})") << QByteArray("\"reverse\"");
        QTest::newRow("unknown name") << QByteArray(R"({"rounding": "sideways"})") << QByteArray("down or up");
        QTest::newRow("unknown kind") << QByteArray(R"({"kinds": ["middle"]})")
                                      << QByteArray("encoder, cross or decoder");
        QTest::newRow("below the range") << QByteArray(R"({"resamples": -5})") << QByteArray("whole number from 0 to");
        QTest::newRow("above the range") << QByteArray(R"({"random-orders": 1000000000000})")
                                         << QByteArray("\"random-orders\"");
        QTest::newRow("a byte that ends paths") << QByteArray(R"({"order": "a\u0000b"})") << QByteArray("NUL byte");
        QTest::newRow("no list") << QByteArray(R"({"kinds": "encoder"})") << QByteArray("\"kinds\"");
    }

    void valuesOfAnotherKindAreRefused()
    {
        QFETCH(QByteArray, options);
        QFETCH(QByteArray, said);
        try {
            (void)optionsFrom<PruningSpec>(nlohmann::json::parse(options.toStdString()));
            QFAIL("taken without complaint");
        } catch (const Failure &failure) {
            QVERIFY2(QByteArray(failure.what()).contains(said), failure.what());
        }
    }

    void numbersOfOptionsAndSettingsHaveOneRange()
    {
        const auto taken = [](const char *options) {
            try {
                (void)optionsFrom<RunOptions>(nlohmann::json::parse(options));
                return true;
            } catch (const Failure &) {
                return false;
            }
        };
        QVERIFY(taken(R"({"max-length": 2})") && !taken(R"({"max-length": 1})"));
        QVERIFY(taken(R"({"beams": 1024})") && !taken(R"({"beams": 1025})"));
        QVERIFY(!taken(R"({"beams": 4294967297})")); // which is 1 in 32 bits
        QVERIFY(taken(R"({"batch-tokens": 0})"));    // as it is without being given
        QVERIFY(!taken(R"({"batch-tokens": -1})"));
        QVERIFY(taken(R"({"seed": 18446744073709551615})") && !taken(R"({"seed": -1})"));
        RunOptions run;
        checkOptions(run);
        run.decoding.maxLength = 1;
        QVERIFY_THROWS_EXCEPTION(Failure, checkOptions(run));
    }

    void whatIsAskedForMustBeKnown()
    {
        const auto asked = nlohmann::json{{"resamples", 7}};
        QCOMPARE(requestedOptions<EvaluationSpec>(asked, "options").resamples, std::int64_t(7));
        try {
            (void)requestedOptions<EvaluationSpec>({{"resampels", 7}}, "options");
            QFAIL("taken without complaint");
        } catch (const Failure &failure) {
            QVERIFY2(QByteArray(failure.what())
                         .contains("\"resampels\" is unknown; there are against, by, mask, resamples, rescale."),
                     failure.what());
        }
        QVERIFY_THROWS_EXCEPTION(Failure, (void)requestedOptions<EvaluationSpec>(nlohmann::json::array(), "options"));
        QCOMPARE(optionsFrom<EvaluationSpec>({{"resampels", 7}}).resamples,
                 EvaluationSpec().resamples); // beside others
    }
};

QTEST_GUILESS_MAIN(TestOptionsJson)
#include "tst_optionsjson.moc"

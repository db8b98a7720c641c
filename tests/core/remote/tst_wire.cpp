// What travels between machines is what was there before.
#include "core/analysis/analyses.h"
#include "core/analysis/analysisinfo.h"
#include "core/analysis/anyspec.h"
#include "core/analysis/evaluationspec.h"
#include "core/base/ranges.h"
#include "core/remote/wire.h"
#include "core/results/attentionresult.h"
#include "core/results/optionsjson.h"

#include <QTest>

#include <cmath>
#include <limits>

using namespace headscope;

namespace {

const HeadMask kMask{{HeadKind::Encoder, 0, 1}, {HeadKind::Cross, 2, 3}};

/// Gives every option another value than the usual one.
class Changer
{
public:
    void mask(const char *, HeadMask &value) { value = kMask; }
    void mask(const char *, std::optional<HeadMask> &value) { value = kMask; }
    void flag(const char *, bool &value, const char *) { value = !value; }
    template<typename T, typename Bound>
    void integer(const char *, T &value, Bound, const char *)
    {
        change(value, 17);
    }
    template<typename T, typename Range>
    void real(const char *, T &value, const Range &, const char *)
    {
        change(value, 0.1 + 0.2);
    }
    template<typename T>
    void bytes(const char *, T &value, const char *)
    {
        change(value, 1 << 20);
    }
    void text(const char *, std::string &value, const char *, const char *) { value = "other \"text\" – 中"; }
    template<typename E>
    void choice(const char *, E &value, const char *)
    {
        value = E{1};
    }
    template<typename T>
    void integers(const char *, std::vector<T> &values, const IntegerRange &range, const char *)
    {
        values = {static_cast<T>(range.least + 3), static_cast<T>(range.least + 5)};
    }
    template<typename E>
    void choices(const char *, std::vector<E> &values, const char *)
    {
        values = {E{1}, E{0}};
    }

private:
    template<typename T, typename U>
    static void change(T &value, U to)
    {
        if constexpr (requires { *value; })
            value = static_cast<typename T::value_type>(to);
        else
            value = static_cast<T>(to);
    }
};

} // namespace

class TestWire : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyAnalysisKeepsItsOptions()
    {
        int analyses = 0;
        forEachAnalysis([&](auto spec) {
            using Spec = decltype(spec);
            Changer changer;
            describe(changer, spec);
            describe(changer, spec.run);
            if constexpr (requires { AnalysisOf<Spec>::kSecond; })
                spec.*AnalysisOf<Spec>::kSecond.wanted = !(spec.*AnalysisOf<Spec>::kSecond.wanted);
            const nlohmann::json sent = wire::toWire(AnySpec(spec));
            const AnySpec come = wire::anySpec(nlohmann::json::parse(sent.dump()));
            QVERIFY2(come.is<Spec>(), sent.dump().c_str());
            const Spec &other = *come.as<Spec>();
            QVERIFY(optionsOf(other) == optionsOf(spec));
            QVERIFY(!optionsOf(spec.run).empty() && other.run == spec.run);
            if constexpr (requires { AnalysisOf<Spec>::kSecond; })
                QCOMPARE(other.*AnalysisOf<Spec>::kSecond.wanted, spec.*AnalysisOf<Spec>::kSecond.wanted);
            ++analyses;
        });
        QCOMPARE(analyses, static_cast<int>(AllSpecs::kSize));
    }

    void whatIsKeptOfAnEvaluation()
    {
        const AnySpec come = wire::anySpec(wire::toWire(AnySpec(EvaluationSpec{.outputs = true, .scores = true})));
        QVERIFY(come.as<EvaluationSpec>()->outputs && come.as<EvaluationSpec>()->scores);
    }

    void cards()
    {
        ModelCard model;
        model.folder = "/data/a model";
        model.family = "marian";
        model.task = "translation";
        model.parameters = 12345678901;
        model.width = 64;
        model.layout = HeadLayout({{HeadKind::Encoder, {{0, 2}, {}}}, {HeadKind::Cross, {{1}}}});
        model.files = {{"config.json", "abc"}, {"vocab.json", "def"}};
        model.metrics = {"BLEU", "chrF2"};
        model.problem = ProblemType::Regression;
        model.labels = {"a", "ß"};
        model.warnings = {"beware"};
        model.languages = {"deu", "fra"};
        model.sourceLanguage = "deu";
        const ModelCard come = wire::fromWire<ModelCard>(wire::toWire(model));
        QVERIFY(wire::toWire(come) == wire::toWire(model));
        QCOMPARE(come.folder, model.folder);
        QVERIFY(come.layout == model.layout);
        QCOMPARE(come.files, model.files);
        QCOMPARE(come.problem, model.problem);

        DataCard data;
        data.name = "dev";
        data.origin.source = "/d/a.en";
        data.origin.reference = "/d/a.fr";
        data.hash = "12";
        data.rows = 3;
        data.meanWords = 2.5;
        data.origin.sampleSeed = std::numeric_limits<std::uint64_t>::max();
        data.origin.header = false;
        data.origin.textUnit = TextUnit::File;
        data.origin.documentWords = 0;
        data.labels = {{"yes", 2}, {"no", 1}};
        data.references = false;
        const DataCard same = wire::fromWire<DataCard>(wire::toWire(data));
        QVERIFY(same.origin == data.origin);
        QVERIFY(wire::toWire(same) == wire::toWire(data));
        QVERIFY(!same.references && same.labels == data.labels);
    }

    void everyFieldOfADataSource()
    {
        DataSource source;
        source.source = "a";
        source.reference = "b";
        source.table = "c";
        source.textColumn = "d";
        source.pairColumn = "e";
        source.labelColumn = "f";
        source.header = false;
        source.quoted = true;
        source.labelMap = "1=yes";
        source.conllu = "g";
        source.documentWords = 7;
        source.limit = 8;
        source.sample = 9;
        source.sampleSeed = 10;
        source.name = "h";
        source.text = "i";
        source.textUnit = TextUnit::Document;
        source.stride = 11;
        source.windowPredictions = WindowPredictions::Hf;
        source.worseColumn = "j";
        source.paradigmColumn = "k";
        source.windowStart = WindowStart::Bos;
        source.sourcePrefix = "l: ";
        QVERIFY(wire::fromWire<DataSource>(wire::toWire(source)) == source);
        QVERIFY(wire::fromWire<DataSource>(nlohmann::json::object()) == DataSource());
    }

    void attention()
    {
        AttentionResult result;
        result.source = "a b";
        result.sourceTokens = {{.text = "▁a", .id = 1, .word = 0}, {.text = "▁b", .id = 2, .word = 1}};
        result.maps
            = {{.head = {HeadKind::Encoder, 0, 0}, .queries = 2, .keys = 2, .weights = {0.1F, 0.9F, 1.0F, 0.0F}},
               {.head = {HeadKind::Encoder, 0, 1}, .queries = 2, .keys = 2, .weights = {0.5F, 0.5F, 0.25F, 0.75F}}};
        result.maps[1].masked = true;
        result.maps[1].valueNorms = {1.5F, 2.5F};
        const auto sent = wire::toWire(result);
        QCOMPARE(sent.floats.size(), 8 * sizeof(float));
        const AttentionResult come = wire::attentionResult(sent);
        QCOMPARE(come.maps.size(), 2U);
        for (std::size_t i = 0; i < 2; ++i) {
            QCOMPARE(come.maps[i].weights, result.maps[i].weights);
            QCOMPARE(come.maps[i].queries, 2);
            QCOMPARE(come.maps[i].valueNorms, result.maps[i].valueNorms);
        }
        QCOMPARE(jsonText(toJson(come)), jsonText(toJson(result)));
        auto less = sent;
        less.floats.resize(20);
        QVERIFY_THROWS_EXCEPTION(Failure, wire::attentionResult(less));
        auto huge = sent;
        huge.value["shapes"][0] = {std::int64_t(1) << 40, std::int64_t(1) << 40};
        QVERIFY_THROWS_EXCEPTION(Failure, wire::attentionResult(huge));
    }

    void errors()
    {
        for (const ErrorCode code : {ErrorCode::Internal, ErrorCode::Usage, ErrorCode::BadInput, ErrorCode::Resource}) {
            const Error come = wire::error(wire::toWire(Error{code, "why"}));
            QCOMPARE(come.code, code);
            QCOMPARE(come.message, std::string("why"));
        }
        QCOMPARE(wire::error({{"code", 12345}}).code, ErrorCode::Internal);
    }

    void whatIsNoAnalysis()
    {
        QVERIFY_THROWS_EXCEPTION(Failure, wire::anySpec({{"analysis", "nonsense"}}));
        QVERIFY_THROWS_EXCEPTION(Failure, wire::anySpec({{"analysis", "ablate"}, {"options", {{"resamples", 1.5}}}}));
        QVERIFY_THROWS_EXCEPTION(Failure, wire::anySpec({{"analysis", "ablate"}, {"options", {{"mask", "encoder"}}}}));
        QVERIFY_THROWS_EXCEPTION(nlohmann::json::exception, wire::anySpec(nlohmann::json::array()));
    }
};

QTEST_GUILESS_MAIN(TestWire)
#include "tst_wire.moc"

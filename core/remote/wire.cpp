#include "core/remote/wire.h"

#include "core/analysis/analyses.h"
#include "core/analysis/analysisinfo.h"
#include "core/analysis/evaluationspec.h"
#include "core/analysis/specoptions.h"
#include "core/results/anyresult.h"
#include "core/results/cardfields.h"
#include "core/results/fieldsjson.h"
#include "core/results/optionsjson.h"
#include "core/results/resultfields.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <utility>

namespace headscope {

// How the values of a session are described, as results and cards are.

static void describe(auto &visit, Of<ModelOptions> auto &options)
{
    visit.rare("device", options.device, std::string("auto"), "");
    visit.rare("dtype", options.dtype, std::string("f32"), "");
    visit.rare("threads", options.threads, "");
    visit.rare("source_language", options.sourceLanguage, "");
    visit.rare("target_language", options.targetLanguage, "");
}

static void describe(auto &visit, Of<DataRow> auto &row)
{
    visit.rare("source", row.source, "");
    visit.rare("reference", row.reference, "");
    visit.rare("pair", row.pair, "");
    visit.rare("is_pair", row.isPair, "");
    visit.rare("tree", row.tree, "");
}

static void describe(auto &visit, Of<DataPreview> auto &preview)
{
    visit.field("rows", preview.rows, "");
    visit.field("first", preview.first, "");
    visit.rare("columns", preview.columns, "");
    visit.rare("text_column", preview.textColumn, "");
    visit.rare("pair_column", preview.pairColumn, "");
    visit.rare("label_column", preview.labelColumn, "");
    visit.rare("worse_column", preview.worseColumn, "");
    visit.rare("questions", preview.questions, "");
    visit.rare("paradigm_column", preview.paradigmColumn, "");
    visit.rare("labels", preview.labels, "");
    visit.field("mean_words", preview.meanWords, "");
    visit.rare("warnings", preview.warnings, "");
}

static void describe(auto &visit, Of<FolderEntry> auto &entry)
{
    visit.field("name", entry.name, "");
    visit.rare("folder", entry.folder, "");
    visit.rare("model", entry.model, "");
    visit.rare("bytes", entry.bytes, "");
}

static void describe(auto &visit, Of<FolderListing> auto &listing)
{
    pathField(visit, "folder", listing.folder);
    visit.field("entries", listing.entries, "");
    visit.rare("more", listing.more, "");
}

static void describe(auto &visit, Of<PrunedCard> auto &card)
{
    visit.field("heads", card.heads, "");
    visit.field("heads_left", card.headsLeft, "");
    visit.field("parameters", card.parameters, "");
    visit.field("parameters_left", card.parametersLeft, "");
    visit.field("small_opens_in", card.smallOpensIn, "");
    visit.field("full_opens_in", card.fullOpensIn, "");
    visit.rare("warnings", card.warnings, "");
}

namespace wire {

namespace {

json plain(const Json &ordered)
{
    return json(ordered);
}

/// The visitor that sees by what names something is asked for.
class AskedNames
{
public:
    static constexpr bool kReads = false;

    template<typename T, typename... Rest>
    void rare(const char *key, const T &, const Rest &...)
    {
        m_names.insert(key);
    }
    template<typename T, typename... Rest>
    void form(const char *key, const T &, const Rest &...)
    {
        m_names.insert(key);
    }
    /// `whose`: how the message calls them.
    void refuseOthers(const json &object, const char *whose) const
    {
        if (!object.is_object())
            throw Failure(usageError(std::string(whose) + " are an object."));
        for (const auto &member : object.items()) {
            if (m_names.contains(member.key()))
                continue;
            std::string known;
            for (const std::string &name : m_names)
                known += (known.empty() ? "" : ", ") + name;
            throw Failure(usageError(std::string(whose) + ": \"" + member.key().substr(0, 60)
                                     + "\" is unknown; there are " + known + '.'));
        }
    }

private:
    std::set<std::string> m_names;
};

/// Options that a client asks for; an answer of a newer core may say more than this one knows.
template<typename T>
constexpr const char *kWhoseNames = nullptr;
template<>
constexpr const char *kWhoseNames<ModelOptions> = "the options of a model";
template<>
constexpr const char *kWhoseNames<DataSource> = "the fields of a data set's source";

/// The name of an analysis: its kind of result, the only name that no two have in common.
template<SpecStruct Spec>
constexpr const char *kNameOf = ResultOf<Spec>::kKind;

/// Options beside the others: those that decide nothing, or are decided by the other data set, and so is no option.
template<SpecStruct Spec>
json besideOptions(const Spec &spec)
{
    json beside = json::object();
    if constexpr (requires { AnalysisOf<Spec>::kSecond; })
        beside["second"] = spec.*AnalysisOf<Spec>::kSecond.wanted;
    if constexpr (std::same_as<Spec, EvaluationSpec>) {
        beside["outputs"] = spec.outputs;
        beside["scores"] = spec.scores;
    }
    return beside;
}

template<SpecStruct Spec>
void readBeside(Spec &spec, const json &object)
{
    if constexpr (requires { AnalysisOf<Spec>::kSecond; })
        spec.*AnalysisOf<Spec>::kSecond.wanted = object.value("second", spec.*AnalysisOf<Spec>::kSecond.wanted);
    if constexpr (std::same_as<Spec, EvaluationSpec>) {
        spec.outputs = object.value("outputs", false);
        spec.scores = object.value("scores", false);
    }
}

void append(std::string &floats, const std::vector<float> &values)
{
    static_assert(std::endian::native == std::endian::little);
    floats.append(reinterpret_cast<const char *>(values.data()), values.size() * sizeof(float));
}

/// Takes vectors of floats off a run of bytes, one after the other.
class Floats
{
public:
    explicit Floats(const std::string &bytes) : m_bytes(bytes) { }

    std::vector<float> take(std::int64_t count)
    {
        const std::size_t left = m_bytes.size() - m_used;
        if (count < 0 || static_cast<std::size_t>(count) > left / sizeof(float))
            throw Failure(badInput("there are fewer numbers than the message says"));
        std::vector<float> values(static_cast<std::size_t>(count));
        std::memcpy(values.data(), m_bytes.data() + m_used, values.size() * sizeof(float));
        m_used += values.size() * sizeof(float);
        return values;
    }

private:
    const std::string &m_bytes;
    std::size_t m_used = 0;
};

/// The product of two untrusted sizes; an error if it is larger than any map.
std::int64_t area(std::int64_t a, std::int64_t b)
{
    constexpr std::int64_t kMost = std::int64_t(1) << 20;
    if (a < 0 || b < 0 || a > kMost || b > kMost)
        throw Failure(badInput("a map of " + std::to_string(a) + " by " + std::to_string(b)));
    return a * b;
}

const std::vector<std::pair<const char *, std::vector<float> NeuronResult::*>> &neuronTables()
{
    static const std::vector<std::pair<const char *, std::vector<float> NeuronResult::*>> tables{
        {"query", &NeuronResult::query},
        {"key", &NeuronResult::key},
        {"bias", &NeuronResult::bias},
        {"logits", &NeuronResult::logits},
        {"weights", &NeuronResult::weights}};
    return tables;
}

} // namespace

template<typename T>
json toWire(const T &value)
{
    return plain(fieldsJson(value));
}

template<typename T>
T fromWire(const json &object)
{
    if constexpr (kWhoseNames<T> != nullptr) {
        AskedNames names;
        const T nobodys{};
        describe(names, nobodys);
        names.refuseOthers(object, kWhoseNames<T>);
    }
    return fieldsFrom<T>(object);
}

template json toWire(const ModelOptions &);
template ModelOptions fromWire(const json &);
template json toWire(const ModelCard &);
template ModelCard fromWire(const json &);
template json toWire(const DataSource &);
template DataSource fromWire(const json &);
template json toWire(const DataCard &);
template DataCard fromWire(const json &);
template json toWire(const DataPreview &);
template DataPreview fromWire(const json &);
template json toWire(const DataRow &);
template DataRow fromWire(const json &);
template json toWire(const FolderListing &);
template FolderListing fromWire(const json &);
template json toWire(const PrunedCard &);
template PrunedCard fromWire(const json &);

json toWire(const SentenceTree &tree)
{
    return plain(fieldJson(tree));
}

SentenceTree sentenceTree(const json &list)
{
    SentenceTree tree;
    for (const json &word : list)
        tree.push_back(fieldsFrom<TreeWord>(word));
    return tree;
}

json toWire(Domain domain)
{
    return domain == Domain::In ? "in" : "out";
}

Domain domain(const json &name)
{
    const std::string text = name.get<std::string>();
    if (text != "in" && text != "out")
        throw Failure(badInput("\"domain\" is \"in\" or \"out\", not " + name.dump()));
    return text == "in" ? Domain::In : Domain::Out;
}

json toWire(const RunOptions &run)
{
    return optionsOf(run);
}
RunOptions runOptions(const json &object)
{
    return requestedOptions<RunOptions>(object, "\"run\"");
}

json toWire(const AnySpec &any)
{
    return any.visit([](const auto &spec) {
        using Spec = std::remove_cvref_t<decltype(spec)>;
        json object = besideOptions(spec);
        object["analysis"] = kNameOf<Spec>;
        object["run"] = toWire(spec.run);
        object["options"] = optionsOf(spec);
        return object;
    });
}

AnySpec anySpec(const json &object)
{
    const std::string name = object.at("analysis").get<std::string>();
    std::optional<AnySpec> found;
    forEachAnalysis([&](const auto &defaults) {
        using Spec = std::remove_cvref_t<decltype(defaults)>;
        if (found || name != kNameOf<Spec>)
            return;
        Spec spec = requestedOptions<Spec>(object.value("options", json::object()), "the options of \"" + name + '"');
        spec.run = runOptions(object.value("run", json::object()));
        readBeside(spec, object);
        found = std::move(spec);
    });
    if (!found)
        throw Failure(badInput("unknown analysis \"" + name + '"'));
    return *std::move(found);
}

json toWire(const ExportSpec &spec)
{
    json object = {{"mask", toText(spec.mask)}, {"form", toText(spec.form)}};
    if (spec.compensation)
        object["compensation"] = toWire(*spec.compensation);
    return object;
}

ExportSpec exportSpec(const json &object)
{
    ExportSpec spec{.mask = jsonread::mask(object, "mask")};
    spec.form = parseName<ExportForm>(object.at("form").get<std::string>()).valueOrThrow();
    if (object.contains("compensation"))
        spec.compensation = domain(object["compensation"]);
    return spec;
}

WithFloats toWire(AttentionResult result)
{
    WithFloats sent;
    json shapes = json::array();
    for (AttentionMap &map : result.maps) {
        shapes.push_back({map.queries, map.keys});
        append(sent.floats, map.weights);
        map.weights.clear();
        map.queries = 0;
    }
    sent.value = {{"attention", plain(toJson(result))}, {"shapes", std::move(shapes)}};
    return sent;
}

AttentionResult attentionResult(const WithFloats &sent)
{
    const AnyResult any = resultFromJson(sent.value.at("attention"), "what the other machine sent").valueOrThrow();
    if (!any.is<AttentionResult>())
        throw Failure(badInput("the result is not one of attention"));
    AttentionResult result = *any.as<AttentionResult>();
    const json &shapes = sent.value.at("shapes");
    if (shapes.size() != result.maps.size())
        throw Failure(badInput("there are shapes of other maps"));
    Floats floats(sent.floats);
    for (std::size_t i = 0; i < result.maps.size(); ++i) {
        AttentionMap &map = result.maps[i];
        map.queries = shapes[i].at(0).get<std::int64_t>();
        map.keys = shapes[i].at(1).get<std::int64_t>();
        map.weights = floats.take(area(map.queries, map.keys));
    }
    return result;
}

json sentenceOf(AttentionResult result)
{
    result.maps.clear();
    return toWire(std::move(result)).value;
}

WithFloats toWire(NeuronResult result)
{
    WithFloats sent;
    for (const auto &[name, table] : neuronTables()) {
        append(sent.floats, result.*table);
        sent.value["sizes"][name] = (result.*table).size();
        (result.*table).clear();
    }
    sent.value["neurons"] = plain(fieldsJson(result));
    sent.value["queries"] = plain(fieldJson(result.queries));
    sent.value["keys"] = plain(fieldJson(result.keys));
    sent.value["manifest"] = plain(toJson(result.manifest));
    return sent;
}

NeuronResult neuronResult(const WithFloats &sent)
{
    NeuronResult result = fieldsFrom<NeuronResult>(sent.value.at("neurons"));
    for (const auto &[name, tokens] : {std::pair{"queries", &result.queries}, std::pair{"keys", &result.keys}}) {
        for (const json &token : sent.value.at(name))
            tokens->push_back(fieldsFrom<TokenLabel>(token));
    }
    result.manifest = manifestFromJson(sent.value.at("manifest"), "what the other machine sent").valueOrThrow();
    Floats floats(sent.floats);
    const auto queries = std::ssize(result.queries);
    const auto keys = std::ssize(result.keys);
    for (const auto &[name, table] : neuronTables()) {
        const std::int64_t wanted = table == &NeuronResult::query ? area(queries, result.width)
                                  : table == &NeuronResult::key   ? area(keys, result.width)
                                                                  : area(queries, keys);
        if (sent.value.at("sizes").at(name).get<std::int64_t>() != wanted)
            throw Failure(badInput(std::string("the table \"") + name + "\" has another size than it should"));
        result.*table = floats.take(wanted);
    }
    return result;
}

namespace {

/// Error codes of JSON-RPC where it has one that says the same, else our own.
struct CodeName
{
    ErrorCode code;
    int number;
    const char *kind;
};
constexpr std::array<CodeName, 4> kCodes{
    CodeName{ErrorCode::Internal, -32603, "internal"}, CodeName{ErrorCode::Usage, -32602, "usage"},
    CodeName{ErrorCode::BadInput, 1, "bad-input"}, CodeName{ErrorCode::Resource, 2, "resource"}};

} // namespace

json toWire(const Error &error)
{
    const auto name = std::ranges::find(kCodes, error.code, &CodeName::code);
    return {{"code", name->number}, {"message", error.message}, {"data", {{"kind", name->kind}}}};
}

Error error(const json &object)
{
    const auto name = std::ranges::find(kCodes, object.value("code", -32603), &CodeName::number);
    return {name == kCodes.end() ? ErrorCode::Internal : name->code,
            object.value("message", std::string("no reason was given"))};
}

} // namespace wire

} // namespace headscope

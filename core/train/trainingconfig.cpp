#include "core/train/trainingconfig.h"

#include "core/formats/jsonfile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace headscope {
namespace {

using Json = nlohmann::ordered_json;

template<typename T>
struct Spelling
{
    T value;
    const char *text;
};

constexpr Spelling<OptimizerKind> kOptimizers[] = {{OptimizerKind::Adam, "adam"}, {OptimizerKind::AdamW, "adamw"}};
constexpr Spelling<ScheduleKind> kSchedules[] = {{ScheduleKind::InverseSqrt, "inverse-sqrt"},
                                                 {ScheduleKind::Cosine, "cosine"},
                                                 {ScheduleKind::Constant, "constant"}};
constexpr Spelling<ValidationGoal> kGoals[]
    = {{ValidationGoal::Score, "score"}, {ValidationGoal::Loss, "loss"}, {ValidationGoal::Score, "bleu"}};

/// Walks over the keys of a configuration, in one order for both directions: `Reader` takes values out of JSON,
/// `Writer` puts them in.
class Reader
{
public:
    Reader(const nlohmann::json &json, std::string path, std::filesystem::path folder)
        : m_json(json), m_path(std::move(path)), m_folder(std::move(folder))
    {
        if (!json.is_object())
            throw Failure(badInput(where("") + "is not a JSON object."));
    }

    void operator()(const char *key, std::int64_t &value) { take(key, value, "a whole number", &isInteger); }
    void operator()(const char *key, std::uint64_t &value) { take(key, value, "a whole number from 0", &isUnsigned); }
    void operator()(const char *key, int &value) { take(key, value, "a whole number", &isInteger); }
    void operator()(const char *key, double &value)
    {
        take(key, value, "a number", [](const nlohmann::json &json) { return json.is_number(); });
    }
    void operator()(const char *key, bool &value)
    {
        take(key, value, "true or false", [](const nlohmann::json &json) { return json.is_boolean(); });
    }
    void operator()(const char *key, std::string &value) { take(key, value, "a text", &isText); }
    void operator()(const char *key, std::filesystem::path &value)
    {
        std::string text = value.string();
        (*this)(key, text);
        value = absolute(text);
    }
    /// A file name inside a DataSource.
    void file(const char *key, std::string &value)
    {
        (*this)(key, value);
        value = absolute(value).string();
    }
    template<typename T, std::size_t N>
    void choice(const char *key, T &value, const Spelling<T> (&spellings)[N])
    {
        std::string text;
        (*this)(key, text);
        if (text.empty())
            return;
        std::string known;
        for (const auto &spelling : spellings) {
            if (text == spelling.text) {
                value = spelling.value;
                return;
            }
            known += (known.empty() ? "" : ", ") + std::string(spelling.text);
        }
        throw Failure(badInput(where(key) + "is \"" + text + "\"; known are " + known + "."));
    }
    template<NamedEnum T>
    void operator()(const char *key, T &value)
    {
        std::string text(toText(value));
        (*this)(key, text);
        value = named<T>(key, text);
    }
    template<NamedEnum T>
    void operator()(const char *key, std::vector<T> &values)
    {
        nlohmann::json list = nlohmann::json::array();
        take(key, list, "a list of names", [](const nlohmann::json &json) {
            return json.is_array()
                && std::ranges::all_of(json, [](const nlohmann::json &item) { return item.is_string(); });
        });
        for (const auto &item : list)
            values.push_back(named<T>(key, item.template get<std::string>()));
    }
    void operator()(const char *key, HeadMask &mask)
    {
        std::string text;
        (*this)(key, text);
        const Result<HeadMask> heads = parseHeadMask(text);
        if (!heads.isOk())
            throw Failure(badInput(where(key) + "is wrong: " + heads.error().message));
        mask = heads.value();
    }
    template<typename Visit>
    void group(const char *key, Visit &&visit)
    {
        m_known.insert(key);
        const auto found = m_json.find(key);
        if (found == m_json.end())
            return;
        Reader inner(*found, where(key), m_folder);
        visit(inner);
        inner.finish();
    }
    /// Anything that was not asked for is a mistake of the writer.
    void finish() const
    {
        for (const auto &[key, value] : m_json.items()) {
            if (!m_known.contains(key))
                throw Failure(badInput(where(key.c_str()) + "is not known here. Known: "
                                       + fmt::format("{}", fmt::join(m_known, ", ")) + "."));
        }
    }

private:
    static bool isInteger(const nlohmann::json &json) { return json.is_number_integer(); }
    static bool isUnsigned(const nlohmann::json &json) { return json.is_number_unsigned(); }
    static bool isText(const nlohmann::json &json) { return json.is_string(); }

    template<NamedEnum T>
    T named(const char *key, const std::string &text) const
    {
        const Result<T> value = parseName<T>(text);
        if (!value.isOk())
            throw Failure(badInput(where(key) + "is wrong: " + value.error().message));
        return value.value();
    }
    template<typename T, typename Is>
    void take(const char *key, T &value, const char *expected, Is &&is)
    {
        m_known.insert(key);
        const auto found = m_json.find(key);
        if (found == m_json.end())
            return;
        if (!is(*found))
            throw Failure(badInput(where(key) + "is " + found->dump().substr(0, 60) + ", expected " + expected + "."));
        value = found->get<T>();
    }
    std::filesystem::path absolute(const std::string &text) const
    {
        return text.empty() ? std::filesystem::path() : (m_folder / text).lexically_normal();
    }
    std::string where(const char *key) const { return *key ? m_path + "\"" + key + "\" " : m_path; }

    const nlohmann::json &m_json;
    std::string m_path;
    std::filesystem::path m_folder;
    std::set<std::string> m_known;
};

class Writer
{
public:
    template<typename T>
    void operator()(const char *key, const T &value)
    {
        m_json[key] = value;
    }
    void operator()(const char *key, const std::filesystem::path &value) { m_json[key] = value.string(); }
    void operator()(const char *key, const HeadMask &mask) { m_json[key] = toText(mask); }
    template<NamedEnum T>
    void operator()(const char *key, const T &value)
    {
        m_json[key] = toText(value);
    }
    template<NamedEnum T>
    void operator()(const char *key, const std::vector<T> &values)
    {
        m_json[key] = Json::array();
        for (const T value : values)
            m_json[key].push_back(toText(value));
    }
    void file(const char *key, const std::string &value)
    {
        if (!value.empty())
            m_json[key] = value;
    }
    template<typename T, std::size_t N>
    void choice(const char *key, const T &value, const Spelling<T> (&spellings)[N])
    {
        for (const auto &spelling : spellings) {
            if (spelling.value == value && !m_json.contains(key)) // others are older spellings
                m_json[key] = spelling.text;
        }
    }
    template<typename Visit>
    void group(const char *key, Visit &&visit)
    {
        Writer inner;
        visit(inner);
        m_json[key] = std::move(inner.m_json);
    }
    std::string text() const { return m_json.dump(2) + "\n"; }

private:
    Json m_json = Json::object();
};

template<typename Archive, typename Data>
void visitData(Archive &archive, Data &data)
{
    archive.file("source", data.source);
    archive.file("reference", data.reference);
    archive.file("data", data.table);
    archive.file("conllu", data.conllu);
    archive("text_column", data.textColumn);
    archive("pair_column", data.pairColumn);
    archive("label_column", data.labelColumn);
    archive("label_map", data.labelMap);
    archive("header", data.header);
    archive("quoted", data.quoted);
    archive.file("text_file", data.text);
    archive("text_unit", data.textUnit);
    archive("stride", data.stride);
    archive("window_predictions", data.windowPredictions);
    archive("limit", data.limit);
}

void visitModel(auto &archive, auto &model)
{
    archive("family", model.family);
    archive("width", model.width);
    archive("encoder_layers", model.encoderLayers);
    archive("decoder_layers", model.decoderLayers);
    archive("encoder_heads", model.encoderHeads);
    archive("decoder_heads", model.decoderHeads);
    archive("feed_forward", model.feedForward);
    archive("shared_projections", model.sharedWidth);
    archive("max_positions", model.maxPositions);
    archive("activation", model.activation);
}

void visitVocabulary(auto &archive, auto &vocabulary)
{
    archive("size", vocabulary.size);
    archive("joint", vocabulary.joint);
    archive("type", vocabulary.type);
    archive("normalization", vocabulary.normalization);
    archive("coverage", vocabulary.coverage);
}

void visitOptimizer(auto &archive, auto &optimizer)
{
    archive.choice("name", optimizer.kind, kOptimizers);
    archive("beta1", optimizer.beta1);
    archive("beta2", optimizer.beta2);
    archive("epsilon", optimizer.epsilon);
    archive("weight_decay", optimizer.weightDecay);
    archive("clip_norm", optimizer.clipNorm);
}

void visitSchedule(auto &archive, auto &schedule)
{
    archive.choice("name", schedule.kind, kSchedules);
    archive("learning_rate", schedule.learningRate);
    archive("warmup_steps", schedule.warmupSteps);
}

void visitGates(auto &archive, auto &gates)
{
    archive("method", gates.method);
    archive("kinds", gates.kinds);
    archive("trained", gates.trained);
    archive("learning_rate", gates.learningRate);
    archive("lambda", gates.lambda);
    archive("initial", gates.initial);
    archive("heads", gates.heads);
    archive("temperature", gates.temperature);
    archive("last_temperature", gates.lastTemperature);
    archive("cooling_steps", gates.coolingSteps);
}

/// `Config` is TrainingConfig or const TrainingConfig.
template<typename Archive, typename Config>
void visit(Archive &archive, Config &config)
{
    archive("output", config.output);
    archive("start_from", config.startFrom);
    archive("fresh_weights", config.freshWeights);
    archive("removed_heads", config.removedHeads);
    archive("initial_heads", config.initialHeads);
    archive("head_noise", config.headNoise);
    archive("fixed_mixing", config.fixedMixing);
    archive.group("train", [&](auto &inner) { visitData(inner, config.train); });
    archive.group("validation", [&](auto &inner) { visitData(inner, config.validation); });
    archive.group("model", [&](auto &inner) { visitModel(inner, config.model); });
    archive.group("vocabulary", [&](auto &inner) { visitVocabulary(inner, config.vocabulary); });
    archive.group("optimizer", [&](auto &inner) { visitOptimizer(inner, config.optimizer); });
    archive.group("schedule", [&](auto &inner) { visitSchedule(inner, config.schedule); });
    archive.group("gates", [&](auto &inner) { visitGates(inner, config.gates); });
    archive("dropout", config.dropout);
    archive("label_smoothing", config.labelSmoothing);
    archive("batch_tokens", config.batchTokens);
    archive("epochs", config.epochs);
    archive("steps", config.steps);
    archive("patience", config.patience);
    archive.choice("goal", config.goal, kGoals);
    archive("validation_beams", config.validationBeams);
    archive("seed", config.seed);
    archive("device", config.device);
    archive("dtype", config.dtype);
    archive("threads", config.threads);
    archive("save_dtype", config.saveDtype);
    archive("report_steps", config.reportSteps);
    archive("save_minutes", config.saveMinutes);
    archive("plain", config.plain);
}

/// The first thing that is wrong, empty when nothing is.
class ConfigProblems
{
public:
    void unless(bool fine, std::string text)
    {
        if (!fine && m_first.empty())
            m_first = std::move(text);
    }
    void range(const char *what, double value, double least, double most)
    {
        unless(value >= least && value <= most,
               fmt::format("{} is {}; it must be from {} to {}.", what, value, least, most));
    }
    void oneOf(const char *what, const std::string &value, std::initializer_list<const char *> known)
    {
        for (const char *word : known) {
            if (value == word)
                return;
        }
        unless(false, fmt::format("{} is \"{}\"; known are {}.", what, value, fmt::join(known, ", ")));
    }
    const std::string &first() const { return m_first; }

private:
    std::string m_first;
};

void checkFiles(const TrainingConfig &config, ConfigProblems &problems)
{
    problems.unless(!config.output.empty(), "no output folder (\"output\").");
    problems.unless(isGiven(config.train),
                    "no training data (\"train\": {\"source\": …, \"reference\": …}, {\"data\": TABLE} or "
                    "{\"text_file\": …}).");
    problems.unless(config.train.source.empty() || !config.train.reference.empty(),
                    "the training data have no reference file (\"reference\").");
    problems.unless(config.validation.source.empty() || !config.validation.reference.empty(),
                    "the validation data have no reference file (\"reference\").");
    problems.unless(isGiven(config.validation) || config.patience == 0,
                    "early stopping (\"patience\") needs validation data.");
}

void checkModel(const ModelSizes &model, ConfigProblems &problems)
{
    problems.range("model width", static_cast<double>(model.width), 2, 1 << 14);
    problems.range("encoder layers", static_cast<double>(model.encoderLayers), 1, 100);
    problems.range("decoder layers", static_cast<double>(model.decoderLayers), 1, 100);
    problems.range("feed-forward width", static_cast<double>(model.feedForward), 1, 1 << 17);
    problems.range("max positions", static_cast<double>(model.maxPositions), 8, 1 << 16);
    for (const std::int64_t heads : {model.encoderHeads, model.decoderHeads}) {
        problems.unless(heads >= 1 && model.width % heads == 0,
                        fmt::format("model width {} cannot be divided among {} heads.", model.width, heads));
    }
}

void checkLearning(const TrainingConfig &config, ConfigProblems &problems)
{
    const OptimizerConfig &optimizer = config.optimizer;
    problems.range("dropout", config.dropout, 0, 0.9);
    problems.range("label smoothing", config.labelSmoothing, 0, 0.9);
    problems.range("beta1", optimizer.beta1, 0, 0.99999);
    problems.range("beta2", optimizer.beta2, 0, 0.9999999);
    problems.range("epsilon", optimizer.epsilon, 1e-30, 1);
    problems.range("weight decay", optimizer.weightDecay, 0, 10);
    problems.range("clip norm", optimizer.clipNorm, 0, 1e9);
    problems.range("learning rate", config.schedule.learningRate, 1e-12, 10);
    problems.range("warm-up", static_cast<double>(config.schedule.warmupSteps), 0, 1e9);
    problems.range("batch tokens", static_cast<double>(config.batchTokens), 16, 1 << 22);
    problems.range("epochs", static_cast<double>(config.epochs), 1, 100000);
    problems.range("steps", static_cast<double>(config.steps), 0, 1e12);
    problems.range("patience", static_cast<double>(config.patience), 0, 100000);
    problems.range("validation beams", config.validationBeams, 1, 64);
    problems.range("report steps", static_cast<double>(config.reportSteps), 1, 1e9);
    problems.range("save minutes", config.saveMinutes, 0.01, 1e6);
}

void checkGates(const GateConfig &gates, ConfigProblems &problems)
{
    if (gates.method == GateMethod::None) {
        problems.unless(gates.trained == TrainedParts::All, "without gates (\"method\") all weights are trained.");
        return;
    }
    problems.range("gates' learning rate", gates.learningRate, 0, 100);
    problems.range("lambda", gates.lambda, -1e6, 1e6);
    problems.range("initial", gates.initial, -10, 10);
    problems.unless(gates.method != GateMethod::Subset || gates.heads >= 1,
                    "subset pruning needs the number of heads that stay (\"heads\").");
    problems.range("last temperature", gates.lastTemperature, 1e-12, 1e6);
    problems.range("temperature", gates.temperature, gates.lastTemperature, 1e6);
    problems.range("cooling steps", static_cast<double>(gates.coolingSteps), 1, 1e12);
}

} // namespace

bool isClassifier(const ModelSizes &model)
{
    return model.family == "bert";
}

namespace {

void checkNewModel(const TrainingConfig &config, ConfigProblems &problems)
{
    const bool classifies = isClassifier(config.model);
    problems.unless(config.train.text.empty(),
                    "new models translate or classify; others are made from the configuration "
                    "and tokenizer of one (\"start_from\", \"fresh_weights\").");
    problems.unless(classifies || !config.train.source.empty(),
                    "a new model of labelled texts is a classifier: write \"family\": \"bert\" into \"model\".");
    problems.unless(!classifies || config.train.source.empty(),
                    "new \"bert\" models classify texts; those of parallel lines are \"marian\" models.");
    checkModel(config.model, problems);
    problems.range("vocabulary size", static_cast<double>(config.vocabulary.size), 16, 1 << 20);
    problems.range("coverage", config.vocabulary.coverage, 0.9, 1);
    problems.oneOf("vocabulary type", config.vocabulary.type, {"unigram", "bpe"});
    problems.oneOf("normalization", config.vocabulary.normalization,
                   {"nmt_nfkc", "nmt_nfkc_cf", "nfkc", "nfkc_cf", "identity"});
}

} // namespace

Result<Done> checkTrainingConfig(const TrainingConfig &config)
{
    ConfigProblems problems;
    checkFiles(config, problems);
    problems.unless(!config.freshWeights || !config.startFrom.empty(),
                    "\"fresh_weights\" is about the model to go on from (\"start_from\").");
    problems.unless(config.removedHeads.empty() || !config.startFrom.empty(),
                    "\"removed_heads\" are those of the model to go on from (\"start_from\").");
    problems.unless(config.initialHeads == InitialHeads::Different || config.startFrom.empty() || config.freshWeights,
                    "\"initial_heads\" are those of fresh weights; the model to go on from has its own.");
    problems.range("head_noise", config.headNoise, 0, 1);
    problems.range("width of shared projections", static_cast<double>(config.model.sharedWidth), 0, 1 << 14);
    problems.unless(config.model.sharedWidth == 0 || !config.freshWeights,
                    "\"shared_projections\" are of a new model, or made from trained weights; \"fresh_weights\" have "
                    "those of the model to go on from.");
    if (config.startFrom.empty())
        checkNewModel(config, problems);
    checkLearning(config, problems);
    checkGates(config.gates, problems);
    problems.oneOf("dtype", config.dtype, {"auto", "f32", "bf16"});
    problems.oneOf("save_dtype", config.saveDtype, {"f32", "f16", "bf16"});
    if (!problems.first().empty())
        return usageError("Training: " + problems.first());
    return Done{};
}

namespace {

Result<TrainingConfig> configOf(const nlohmann::json &json, const std::string &where,
                                const std::filesystem::path &folder)
{
    try {
        TrainingConfig config;
        Reader reader(json, where, folder);
        visit(reader, config);
        reader.finish();
        return config;
    } catch (const Failure &failure) {
        return failure.error();
    }
}

} // namespace

Result<TrainingConfig> readTrainingConfig(const std::filesystem::path &file)
{
    const auto json = readJsonFile(file);
    if (!json.isOk())
        return json.error();
    return configOf(json.value(), file.string() + ": ", std::filesystem::absolute(file).parent_path());
}

Result<TrainingConfig> parseTrainingConfig(const std::string &text, const std::filesystem::path &folder)
{
    const auto json = nlohmann::json::parse(text, nullptr, false);
    if (json.is_discarded())
        return badInput("The configuration of a training run is no JSON.");
    return configOf(json, "", folder);
}

std::string trainingConfigText(const TrainingConfig &config)
{
    Writer writer;
    visit(writer, config);
    return writer.text();
}

} // namespace headscope

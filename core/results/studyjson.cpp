#include "core/results/studyjson.h"

#include "core/analysis/specoptions.h"
#include "core/results/jsonread.h"
#include "core/results/optionsjson.h"

#include <fmt/format.h>

#include <headscope/version.h>

#include <algorithm>

namespace headscope {

namespace {

using jsonread::integer;
using jsonread::text;
using nlohmann::json;
namespace fs = std::filesystem;

constexpr const char *kFormatName = "headscope-study";
constexpr const char *kProblems[] = {"single_label", "multi_label", "regression"}; ///< in the order of ProblemType
constexpr const char *kDomainKeys[] = {"in", "out"};

/// With '/' on every system; an empty path stays empty, and one of another machine (no folder) as it is.
std::string relativeText(const fs::path &path, const fs::path &folder)
{
    if (path.empty() || folder.empty())
        return path.string();
    const fs::path absolute = fs::absolute(path).lexically_normal();
    const fs::path relative = absolute.lexically_relative(folder);
    return (relative.empty() ? absolute : relative).generic_string();
}

std::string absoluteText(const std::string &path, const fs::path &folder)
{
    return path.empty() || folder.empty() ? path : (folder / path).lexically_normal().string();
}

Json layoutJson(const HeadLayout &layout)
{
    Json blocks = Json::object();
    for (const auto &block : layout.blocks())
        blocks[std::string(headKindName(block.kind))] = block.layers;
    return blocks;
}

HeadLayout layoutFrom(const json &object)
{
    std::vector<HeadLayout::Block> blocks;
    for (const auto &item : object.items()) {
        const HeadKind kind = parseHeadKind(item.key()).valueOrThrow();
        blocks.push_back({kind, item.value().get<std::vector<std::vector<int>>>()});
    }
    return HeadLayout(std::move(blocks));
}

Json modelJson(const StudyModel &model, const fs::path &folder)
{
    Json object = {{"folder", relativeText(model.folder, folder)},
                   {"weights_hash", model.weightsHash},
                   {"family", model.family},
                   {"task", model.task},
                   {"parameters", model.parameters},
                   {"width", model.width},
                   {"heads", layoutJson(model.layout)},
                   {"tokenizer", model.tokenizer},
                   {"primary_metric", model.primaryMetric},
                   {"generation", model.generation},
                   {"device", model.device},
                   {"dtype", model.dtype}};
    if (!model.host.empty())
        object["host"] = model.host;
    if (!model.files.empty())
        object["files"] = model.files;
    if (model.metrics.size() > 1)
        object["metrics"] = model.metrics;
    if (!model.labels.empty()) {
        object["problem"] = kProblems[static_cast<std::size_t>(model.problem)];
        object["labels"] = model.labels;
    }
    if (!model.languages.empty()) {
        object["languages"] = model.languages;
        object["source_language"] = model.sourceLanguage;
        object["target_language"] = model.targetLanguage;
    }
    return object;
}

StudyModel modelFrom(const json &object, const fs::path &folder)
{
    StudyModel model;
    model.host = text(object, "host");
    model.folder = absoluteText(object.at("folder").get<std::string>(), folder);
    model.weightsHash = text(object, "weights_hash");
    model.files = object.value("files", std::map<std::string, std::string>());
    model.family = text(object, "family");
    model.task = text(object, "task");
    model.parameters = integer(object, "parameters", 0);
    model.width = static_cast<int>(integer(object, "width", 0));
    model.layout = layoutFrom(object.at("heads"));
    model.tokenizer = text(object, "tokenizer");
    model.primaryMetric = text(object, "primary_metric");
    model.metrics = object.value("metrics", std::vector<std::string>{model.primaryMetric});
    model.generation = text(object, "generation");
    for (std::size_t i = 0; i < std::size(kProblems); ++i) {
        if (text(object, "problem") == kProblems[i])
            model.problem = static_cast<ProblemType>(i);
    }
    model.labels = object.value("labels", std::vector<std::string>());
    model.device = object.value("device", std::string("auto"));
    model.dtype = object.value("dtype", std::string("f32"));
    model.languages = object.value("languages", std::vector<std::string>());
    model.sourceLanguage = text(object, "source_language");
    model.targetLanguage = text(object, "target_language");
    return model;
}

Json dataJson(const StudyData &data, const std::vector<std::string> &keys, const fs::path &folder)
{
    Json object = {{"name", data.name}, {"hash", data.hash}, {"rows", data.rows}, {"mean_words", data.meanWords}};
    const std::pair<const char *, const std::string *> parts[]
        = {{"source_hash", &data.sourceHash}, {"reference_hash", &data.referenceHash}, {"trees_hash", &data.treesHash}};
    for (const auto &[key, hash] : parts) {
        if (!hash->empty())
            object[key] = *hash;
    }
    const DataSource &source = data.source;
    const std::pair<const char *, const std::string *> paths[] = {{"source", &source.source},
                                                                  {"reference", &source.reference},
                                                                  {"table", &source.table},
                                                                  {"conllu", &source.conllu},
                                                                  {"text", &source.text}};
    for (const auto &[key, path] : paths) {
        if (!path->empty())
            object[key] = relativeText(*path, folder);
    }
    const std::pair<const char *, const std::string *> texts[]
        = {{"text_column", &source.textColumn},     {"pair_column", &source.pairColumn},
           {"label_column", &source.labelColumn},   {"label_map", &source.labelMap},
           {"worse_column", &source.worseColumn},   {"paradigm_column", &source.paradigmColumn},
           {"source_prefix", &source.sourcePrefix}, {"given_name", &source.name}};
    for (const auto &[key, value] : texts) {
        if (!value->empty())
            object[key] = *value;
    }
    if (!source.header)
        object["header"] = false;
    if (source.quoted)
        object["quoted"] = true;
    if (source.textUnit != TextUnit::Line)
        object["text_unit"] = toText(source.textUnit);
    if (source.stride > 0)
        object["stride"] = source.stride;
    if (source.windowPredictions != WindowPredictions::All)
        object["window_predictions"] = toText(source.windowPredictions);
    if (source.windowStart != WindowStart::None)
        object["window_start"] = toText(source.windowStart);
    if (source.documentWords != kDefaultDocumentWords)
        object["document_words"] = source.documentWords;
    if (data.pairs)
        object["pairs"] = true;
    for (const LabelCount &label : data.labels)
        object["labels"].push_back({{"label", label.label}, {"rows", label.rows}});
    object["limit"] = source.limit;
    if (source.sample > 0) {
        object["sample"] = source.sample;
        object["sample_seed"] = source.sampleSeed;
    }
    object["results"] = keys;
    return object;
}

StudyData dataFrom(const json &object, const fs::path &folder)
{
    StudyData data;
    data.name = text(object, "name");
    data.hash = text(object, "hash");
    data.sourceHash = text(object, "source_hash");
    data.referenceHash = text(object, "reference_hash");
    data.treesHash = text(object, "trees_hash");
    data.rows = integer(object, "rows", 0);
    data.meanWords = jsonread::number(object, "mean_words", 0);
    data.source.source = absoluteText(text(object, "source"), folder);
    data.source.reference = absoluteText(text(object, "reference"), folder);
    data.source.table = absoluteText(text(object, "table"), folder);
    data.source.conllu = absoluteText(text(object, "conllu"), folder);
    data.source.textColumn = text(object, "text_column");
    data.source.pairColumn = text(object, "pair_column");
    data.source.labelColumn = text(object, "label_column");
    data.source.labelMap = text(object, "label_map");
    data.source.worseColumn = text(object, "worse_column");
    data.source.paradigmColumn = text(object, "paradigm_column");
    data.source.text = absoluteText(text(object, "text"), folder);
    data.source.textUnit = parseName<TextUnit>(object.value("text_unit", std::string("line"))).valueOrThrow();
    data.source.stride = integer(object, "stride", 0);
    data.source.windowPredictions
        = parseName<WindowPredictions>(object.value("window_predictions", std::string("all"))).valueOrThrow();
    data.source.windowStart = parseName<WindowStart>(object.value("window_start", std::string("none"))).valueOrThrow();
    data.source.sourcePrefix = text(object, "source_prefix");
    data.source.documentWords = integer(object, "document_words", kDefaultDocumentWords);
    data.source.header = object.value("header", true);
    data.source.quoted = object.value("quoted", false);
    data.pairs = object.value("pairs", false);
    for (const json &label : object.value("labels", json::array()))
        data.labels.push_back({text(label, "label"), integer(label, "rows", 0)});
    data.source.name = text(object, "given_name");
    data.source.limit = integer(object, "limit", 0);
    data.source.sample = integer(object, "sample", 0);
    data.source.sampleSeed = object.value("sample_seed", data.source.sampleSeed);
    return data;
}

/// Options are called alike everywhere, but names in study files have underscores.
json renamed(const json &options, char from, char to)
{
    json object = json::object();
    for (const auto &[option, value] : options.items()) {
        std::string name = option;
        std::ranges::replace(name, from, to);
        object[name] = value;
    }
    return object;
}

Json runJson(const RunOptions &run)
{
    return Json(renamed(optionsOf(run), '-', '_'));
}

RunOptions runFrom(const json &object)
{
    return optionsFrom<RunOptions>(renamed(object, '_', '-'));
}

/// Files without our name are not ours; newer formats cannot be read. Later formats change `object` here, one version
/// after the other, so that the rest reads only the newest.
void upgrade(json &object)
{
    if (!object.is_object() || text(object, "format") != kFormatName)
        throw Failure(badInput(fmt::format("there is no \"format\": \"{}\" in it", kFormatName)));
    const std::int64_t version = integer(object, "format_version", 0);
    if (version > kStudyFormat)
        throw Failure(badInput(fmt::format("it has format version {}, written by Headscope {}, and this program "
                                           "({}) reads versions up to {}; use a newer Headscope",
                                           version, text(object, "version"), HEADSCOPE_VERSION, kStudyFormat)));
    if (version < 1)
        throw Failure(badInput("its \"format_version\" is missing or below 1"));
}

} // namespace

Json studyToJson(const Study &study, const StudyKeys &keys, const fs::path &own)
{
    const fs::path folder = study.model && !study.model->host.empty() ? fs::path() : own;
    Json object = {{"format", kFormatName}, {"format_version", kStudyFormat}, {"version", HEADSCOPE_VERSION}};
    if (study.model)
        object["model"] = modelJson(*study.model, folder);
    object["data"] = Json::object();
    for (std::size_t slot = 0; slot < study.data.size(); ++slot) {
        if (study.data[slot])
            object["data"][kDomainKeys[slot]] = dataJson(*study.data[slot], keys[slot], folder);
    }
    object["run"] = runJson(study.run);
    object["mask"] = toText(study.mask);
    object["pins"] = Json::array();
    for (const HeadRef &pin : study.pins)
        object["pins"].push_back(toText(pin));
    if (!(study.roleThresholds == RoleThresholds()))
        object["role_thresholds"] = toJson(study.roleThresholds);
    object["layout"] = study.layout;
    return object;
}

Result<ParsedStudy> studyFromJson(const json &given, const std::string &name, const fs::path &own)
{
    return jsonread::guarded<ParsedStudy>(name, "a study that this Headscope can open", [&] {
        json object = given;
        upgrade(object);
        const bool elsewhere = object.contains("model") && !text(object["model"], "host").empty();
        const fs::path folder = elsewhere ? fs::path() : own;
        ParsedStudy parsed;
        Study &study = parsed.study;
        study.version = text(object, "version");
        if (object.contains("model"))
            study.model = modelFrom(object["model"], folder);
        for (std::size_t slot = 0; slot < study.data.size(); ++slot) {
            if (!object.contains("data") || !object["data"].contains(kDomainKeys[slot]))
                continue;
            const json &data = object["data"][kDomainKeys[slot]];
            study.data[slot] = dataFrom(data, folder);
            if (data.contains("results"))
                parsed.keys[slot] = data["results"].get<std::vector<std::string>>();
        }
        if (object.contains("run"))
            study.run = runFrom(object["run"]);
        study.mask = jsonread::mask(object, "mask");
        if (object.contains("pins")) {
            // How the window looked is no reason to refuse results.
            for (const json &pin : object["pins"]) {
                const auto head = parseHeadRef(pin.is_string() ? pin.get<std::string>() : std::string());
                if (head.isOk())
                    study.pins.push_back(head.value());
            }
        }
        if (object.contains("role_thresholds"))
            study.roleThresholds = thresholdsFromJson(object["role_thresholds"]);
        if (object.contains("layout") && object["layout"].is_string())
            study.layout = text(object, "layout");
        return parsed;
    });
}

} // namespace headscope

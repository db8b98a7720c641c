#include "core/results/studyjson.h"

#include "core/analysis/specoptions.h"
#include "core/results/cardfields.h"
#include "core/results/fieldsjson.h"
#include "core/results/jsonread.h"
#include "core/results/optionsjson.h"

#include <fmt/format.h>

#include <headscope/version.h>

#include <algorithm>
#include <array>

namespace headscope {

namespace {

using jsonread::integer;
using jsonread::text;
using nlohmann::json;
namespace fs = std::filesystem;

constexpr const char *kFormatName = "headscope-study";
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

Json modelJson(ModelCard model, const fs::path &folder)
{
    model.folder = relativeText(model.folder, folder);
    return fieldsJson(model);
}

ModelCard modelFrom(const json &object, const fs::path &folder)
{
    auto model = fieldsFrom<ModelCard>(object);
    model.folder = absoluteText(model.folder.string(), folder);
    if (model.metrics.empty())
        model.metrics = {model.primaryMetric};
    return model;
}

Json dataJson(DataCard data, const std::vector<std::string> &keys, const fs::path &folder)
{
    for (std::string *file : filesOf(data.origin))
        *file = file->empty() ? std::string() : relativeText(*file, folder);
    Json object = fieldsJson(data);
    object["results"] = keys;
    return object;
}

DataCard dataFrom(const json &object, const fs::path &folder)
{
    auto data = fieldsFrom<DataCard>(object);
    for (std::string *file : filesOf(data.origin))
        *file = absoluteText(*file, folder);
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

/// Version 1 kept the heads of a model by their kind, and the source of a data set among the fields of its card.
void upgradeFromOne(json &object)
{
    if (const auto model = object.find("model"); model != object.end() && model->is_object()) {
        json &heads = (*model)["heads"];
        json blocks = json::array();
        if (!heads.is_object())
            throw Failure(badInput("the model's \"heads\" are missing"));
        for (const auto &[kind, layers] : heads.items())
            blocks.push_back({{"kind", kind}, {"heads", layers}});
        heads = std::move(blocks);
    }
    for (const char *domain : kDomainKeys) {
        if (!object.contains("data") || !object["data"].contains(domain))
            continue;
        json &data = object["data"][domain];
        json origin = json::object();
        for (const char *key :
             {"source",          "reference",          "table",        "conllu",         "text",
              "text_column",     "pair_column",        "label_column", "label_map",      "worse_column",
              "paradigm_column", "source_prefix",      "header",       "quoted",         "text_unit",
              "stride",          "window_predictions", "window_start", "document_words", "limit",
              "sample",          "sample_seed"}) {
            if (data.contains(key))
                origin[key] = std::move(data[key]);
            data.erase(key);
        }
        if (data.contains("given_name"))
            origin["name"] = data["given_name"];
        data["references"] = origin.contains("reference") || !origin.contains("source");
        data["origin"] = std::move(origin);
        data["trees"] = !text(data, "trees_hash").empty();
    }
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
    if (version < 2)
        upgradeFromOne(object);
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

#include "core/results/json.h"

#include "core/results/jsonread.h"

namespace headscope {

namespace {

/// The spec as an object where nothing is lost by that, else as the text it is.
Json specJson(const std::string &spec)
{
    const auto parsed = nlohmann::json::parse(spec, nullptr, false);
    if (parsed.is_object() && parsed.dump() == spec)
        return Json::parse(spec);
    return spec;
}

std::string specText(const nlohmann::json &object)
{
    if (!object.contains("spec"))
        return {};
    const auto &spec = object["spec"];
    return spec.is_string() ? spec.get<std::string>() : spec.dump();
}

} // namespace

Json toJson(const Manifest &manifest)
{
    Json object
        = {{"analysis", manifest.analysis},
           {"version", manifest.version},
           {"model", manifest.model},
           {"weights_hash", manifest.weightsHash},
           {"settings_hash", manifest.settingsHash},
           {"data", manifest.data},
           {"data_hash", manifest.dataHash},
           {"data_file", manifest.dataFile},
           {"examples", manifest.examples},
           {"total_examples", manifest.totalExamples},
           {"spec", specJson(manifest.spec)},
           {"command", manifest.command},
           {"device", manifest.device},
           {"dtype", manifest.dtype},
           {"libtorch", manifest.libtorch},
           {"created", manifest.created},
           {"seconds", manifest.seconds},
            {"key", manifest.key()}};
    if (manifest.partial)
        object["partial"] = true;
    return object;
}

Result<Manifest> manifestFromJson(const nlohmann::json &json, const std::string &name)
{
    return jsonread::guarded<Manifest>(name, "a manifest", [&] {
        using jsonread::text;
        Manifest manifest;
        manifest.analysis = json.at("analysis").get<std::string>();
        manifest.version = text(json, "version");
        manifest.model = text(json, "model");
        manifest.weightsHash = text(json, "weights_hash");
        manifest.settingsHash = text(json, "settings_hash");
        manifest.data = text(json, "data");
        manifest.dataHash = text(json, "data_hash");
        manifest.dataFile = text(json, "data_file");
        manifest.examples = jsonread::integer(json, "examples", 0);
        manifest.totalExamples = jsonread::integer(json, "total_examples", 0);
        manifest.spec = specText(json);
        manifest.command = text(json, "command");
        manifest.device = text(json, "device");
        manifest.dtype = text(json, "dtype");
        manifest.libtorch = text(json, "libtorch");
        manifest.created = text(json, "created");
        manifest.seconds = jsonread::number(json, "seconds", 0);
        manifest.partial = json.value("partial", false);
        return manifest;
    });
}

} // namespace headscope

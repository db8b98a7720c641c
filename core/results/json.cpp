#include "core/results/json.h"

#include "core/formats/jsonfile.h"
#include "core/results/rolesfields.h"

#include <cstddef>
#include <optional>
#include <utility>
#include <variant>

namespace headscope {

namespace {

template<typename T>
Json kindAndFields(const T &result)
{
    Json object = {{"result", T::kKind}};
    object.update(fieldsJson(result));
    return object;
}

/// Reads the kind of result that has the name, if it is the I-th of AnyResult or a later one.
template<std::size_t I = 0>
std::optional<AnyResult> readKind(const std::string &kind, const nlohmann::json &object)
{
    if constexpr (I < std::variant_size_v<ResultVariant>) {
        using T = std::variant_alternative_t<I, ResultVariant>;
        return kind == T::kKind ? std::optional<AnyResult>(fieldsFrom<T>(object)) : readKind<I + 1>(kind, object);
    } else {
        return std::nullopt;
    }
}

const Manifest *manifestIn(const auto &result)
{
    if constexpr (requires { result.manifest; })
        return &result.manifest;
    else
        return nullptr;
}

} // namespace

Json toJson(const Manifest &manifest)
{
    return fieldsJson(manifest);
}

Json toJson(const ExampleOutput &output)
{
    return fieldsJson(output);
}

Json toJson(const AnyResult &result)
{
    return result.visit([](const auto &one) { return kindAndFields(one); });
}

Json toJson(const RolesResult &result, const RoleThresholds &thresholds, const WindowedSweep &windowed)
{
    FieldWriter writer;
    describe(writer, result, thresholds, windowed);
    Json object = {{"result", RolesResult::kKind}};
    object.update(writer.take());
    return object;
}

Json toJson(const RoleThresholds &thresholds)
{
    return fieldsJson(thresholds);
}

RoleThresholds thresholdsFromJson(const nlohmann::json &json)
{
    return fieldsFrom<RoleThresholds>(json);
}

std::string jsonText(const Json &json, int indent)
{
    return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

Result<AnyResult> resultFromJson(const nlohmann::json &object, const std::string &name)
{
    return jsonread::guarded<AnyResult>(name, "a result of Headscope", [&]() -> AnyResult {
        const std::string kind = object.at("result").get<std::string>();
        if (auto result = readKind(kind, object)) {
            // The command line says it beside the manifest, and up to version 0.1 only there.
            const Manifest *manifest = manifestOf(*result);
            if (manifest == nullptr || manifest->partial || !object.value("partial", false))
                return *std::move(result);
            return withManifest(*result, [](Manifest &of) { of.partial = true; });
        }
        throw Failure(badInput("unknown kind of result \"" + kind + "\"; a newer Headscope may have written it"));
    });
}

Result<Manifest> manifestFromJson(const nlohmann::json &json, const std::string &name)
{
    return jsonread::guarded<Manifest>(name, "a manifest", [&] { return fieldsFrom<Manifest>(json); });
}

Result<AnyResult> readResult(const std::filesystem::path &path)
{
    const auto object = readJsonFile(path);
    if (!object.isOk())
        return object.error();
    return resultFromJson(object.value(), path.string());
}

const Manifest *manifestOf(const AnyResult &result)
{
    return result.visit([](const auto &one) { return manifestIn(one); });
}

AnyResult withManifest(const AnyResult &result, const std::function<void(Manifest &)> &change)
{
    return result.visit([&](auto one) -> AnyResult {
        if constexpr (requires { one.manifest; })
            change(one.manifest);
        return one;
    });
}

std::string kindOf(const AnyResult &result)
{
    return result.visit([](const auto &one) -> std::string { return one.kKind; });
}

} // namespace headscope

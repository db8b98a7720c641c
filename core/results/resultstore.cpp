#include "core/results/resultstore.h"

#include "core/formats/atomicfile.h"

#include <fmt/format.h>

#include <algorithm>

namespace headscope {

namespace {

/// A key is part of a file name: nothing but what Manifest::key() makes may become one.
bool isKey(const std::string &text)
{
    return text.size() == 32 && std::all_of(text.begin(), text.end(), [](char c) {
               return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
           });
}

} // namespace

Result<std::string> ResultStore::save(const AnyResult &result) const
{
    const Manifest *manifest = manifestOf(result);
    if (manifest == nullptr)
        return Error{ErrorCode::Internal, "A comparison cannot be stored in a result store."};
    std::error_code status;
    std::filesystem::create_directories(m_folder, status);
    if (status)
        return resourceError(fmt::format("cannot make the folder {}: {}", m_folder.string(), status.message()));
    const std::string key = manifest->key();
    const auto written = writeFileAtomically(pathOf(key), jsonText(toJson(result), -1) + "\n");
    if (!written.isOk())
        return written.error();
    return key;
}

bool ResultStore::contains(const std::string &key) const
{
    std::error_code ignored;
    return isKey(key) && std::filesystem::exists(pathOf(key), ignored);
}

Result<AnyResult> ResultStore::load(const std::string &key) const
{
    if (!isKey(key))
        return badInput(fmt::format("\"{}\" is not the key of a result: expected 32 hexadecimal digits", key));
    auto result = readResult(pathOf(key));
    if (result.isOk() && manifestOf(result.value()) == nullptr)
        return badInput(fmt::format("{} is a comparison: it cannot be part of a study", pathOf(key).string()));
    if (result.isOk() && manifestOf(result.value())->key() != key)
        return badInput(fmt::format("{} holds the result of other data, weights or settings than its name says (was it "
                                    "renamed, swapped or edited?); it is left out: compute it again",
                                    pathOf(key).string()));
    return result;
}

ResultStore::Loaded ResultStore::load(const std::vector<std::string> &keys) const
{
    Loaded loaded;
    for (const std::string &key : keys) {
        auto result = load(key);
        if (result.isOk())
            loaded.results.push_back(std::move(result).value());
        else
            loaded.problems.push_back(result.error().message);
    }
    return loaded;
}

void ResultStore::remove(const std::set<std::string> &keys) const
{
    // A leftover does no harm: what cannot be removed stays.
    std::error_code ignored;
    for (const std::string &key : keys) {
        if (isKey(key))
            std::filesystem::remove(pathOf(key), ignored);
    }
}

} // namespace headscope

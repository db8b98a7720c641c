#pragma once

#include "core/results/json.h"

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace headscope {

/// A folder with one file per result, named by the result's key. Files appear whole or not at all.
class ResultStore
{
public:
    explicit ResultStore(std::filesystem::path folder) : m_folder(std::move(folder)) { }

    const std::filesystem::path &folder() const { return m_folder; }
    /// Writes (or replaces) a result that has a manifest and returns its key. Makes the folder where needed.
    Result<std::string> save(const AnyResult &result) const;
    bool contains(const std::string &key) const;
    /// Errors: missing, damaged, or the result of another key.
    Result<AnyResult> load(const std::string &key) const;

    struct Loaded
    {
        std::vector<AnyResult> results;
        std::vector<std::string> problems; ///< one per result that could not be read
    };
    /// The results of `keys` that can be read; the others are reported and left out.
    Loaded load(const std::vector<std::string> &keys) const;
    /// Removes these results where they are.
    void remove(const std::set<std::string> &keys) const;

private:
    std::filesystem::path pathOf(const std::string &key) const { return m_folder / (key + ".json"); }

    std::filesystem::path m_folder;
};

} // namespace headscope

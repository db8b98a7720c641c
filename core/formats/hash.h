#pragma once

#include "core/base/jobcontrol.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace headscope {

/// XXH3-128 of a stream of bytes: identity of weights, data and specs, no protection against forgery.
class Hasher
{
public:
    Hasher();
    ~Hasher();
    Hasher(const Hasher &) = delete;
    Hasher &operator=(const Hasher &) = delete;

    void add(std::span<const std::byte> bytes);
    /// Hashes the length first, so that ("ab","c") and ("a","bc") differ.
    void add(std::string_view text);
    void add(std::int64_t value);
    /// 32 hexadecimal digits (canonical form) of what was added so far.
    std::string hex() const;

private:
    struct State;
    std::unique_ptr<State> m_state;
};

/// The hash of a file's bytes as they lie on disk.
Result<std::string> hashFile(const std::filesystem::path &path, const JobControl &control = {});

} // namespace headscope

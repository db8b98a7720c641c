#pragma once

#include "core/formats/tensorentry.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

namespace headscope::fuzzing {

/// A promise of the code under test; a broken one is a finding, as a crash is.
inline void require(bool kept, const char *promise)
{
    if (kept)
        return;
    std::fprintf(stderr, "broken promise: %s\n", promise);
    std::abort();
}

inline std::span<const std::byte> bytesOf(const std::uint8_t *data, std::size_t size)
{
    return std::as_bytes(std::span(data, size));
}

inline std::string_view textOf(const std::uint8_t *data, std::size_t size)
{
    return {reinterpret_cast<const char *>(data), size};
}

/// A folder in memory of this process, for what is read from files; gone with it.
class Folder
{
public:
    Folder()
    {
        std::string name = "/dev/shm/headscope-fuzz-XXXXXX";
        require(mkdtemp(name.data()) != nullptr, "a folder can be made");
        m_path = name;
    }
    ~Folder()
    {
        std::error_code ignored;
        std::filesystem::remove_all(m_path, ignored);
    }
    Folder(const Folder &) = delete;
    Folder &operator=(const Folder &) = delete;

    const std::filesystem::path &path() const { return m_path; }
    void empty() const
    {
        for (const auto &entry : std::filesystem::directory_iterator(m_path))
            std::filesystem::remove_all(entry.path());
    }

private:
    std::filesystem::path m_path;
};

/// What readers of checkpoints promise of every tensor.
inline void requireInside(const TensorEntry &tensor, std::size_t fileSize)
{
    require(tensor.offset <= fileSize && tensor.bytes <= fileSize - tensor.offset, "a tensor lies inside the file");
    require(tensor.shape.size() == tensor.strides.size(), "every dimension has a stride");
    std::uint64_t last = 0; // element
    for (std::size_t i = 0; i < tensor.shape.size(); ++i) {
        require(tensor.shape[i] >= 0 && tensor.strides[i] >= 0, "shapes and strides are not negative");
        if (tensor.shape[i] == 0)
            return;
        std::uint64_t reach = 0;
        require(!__builtin_mul_overflow(static_cast<std::uint64_t>(tensor.shape[i] - 1),
                                        static_cast<std::uint64_t>(tensor.strides[i]), &reach)
                    && !__builtin_add_overflow(last, reach, &last),
                "the last element has a position");
    }
    const auto bits = static_cast<std::uint64_t>(bitsPerElement(tensor.dtype));
    require(last < tensor.bytes * 8 / bits, "the last element lies inside the tensor's bytes");
}

} // namespace headscope::fuzzing

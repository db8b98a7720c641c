#include "core/formats/hash.h"

#include "core/formats/textlines.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <new>
#include <vector>

namespace headscope {

struct Hasher::State
{
    XXH3_state_t *xxh = XXH3_createState();
    ~State() { XXH3_freeState(xxh); }
};

Hasher::Hasher() : m_state(std::make_unique<State>())
{
    if (!m_state->xxh)
        throw std::bad_alloc();
    XXH3_128bits_reset(m_state->xxh);
}

Hasher::~Hasher() = default;

void Hasher::add(std::span<const std::byte> bytes)
{
    if (!bytes.empty())
        XXH3_128bits_update(m_state->xxh, bytes.data(), bytes.size());
}

void Hasher::add(std::string_view text)
{
    add(static_cast<std::int64_t>(text.size()));
    add(std::as_bytes(std::span(text)));
}

void Hasher::add(std::int64_t value)
{
    std::byte bytes[8];
    for (int i = 0; i < 8; ++i)
        bytes[i] = static_cast<std::byte>(static_cast<std::uint64_t>(value) >> (8 * i));
    add(std::span<const std::byte>(bytes));
}

std::string Hasher::hex() const
{
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(m_state->xxh));
    std::string text;
    for (const unsigned char byte : canonical.digest)
        text += fmt::format("{:02x}", byte);
    return text;
}

Result<std::string> hashFile(const std::filesystem::path &path, const JobControl &control)
{
    if (const auto regular = requireRegularFile(path); !regular.isOk())
        return regular.error();
    std::ifstream file(path, std::ios::binary);
    std::error_code ignored;
    if (!file || std::filesystem::is_directory(path, ignored))
        return badInput(fmt::format("cannot read {}: {}", path.string(), std::strerror(errno)));
    Hasher hasher;
    std::vector<char> chunk(std::size_t{4} << 20);
    while (file) {
        if (control.cancelled())
            return Result<std::string>::cancelled();
        file.read(chunk.data(), static_cast<std::streamsize>(chunk.size()));
        hasher.add(std::as_bytes(std::span(chunk).first(static_cast<std::size_t>(file.gcount()))));
    }
    if (file.bad())
        return badInput(fmt::format("cannot read {}: {}", path.string(), std::strerror(errno)));
    return hasher.hex();
}

} // namespace headscope

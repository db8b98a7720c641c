#include "core/formats/mappedfile.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace headscope {

Result<std::shared_ptr<MappedFile>> MappedFile::open(const std::filesystem::path &path)
{
    const auto failed
        = [&path] { return badInput(fmt::format("cannot read {}: {}", path.string(), std::strerror(errno))); };
    std::shared_ptr<MappedFile> file(new MappedFile);
    file->m_path = path;
    file->m_file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file->m_file < 0)
        return failed();
    struct stat facts = {};
    if (::fstat(file->m_file, &facts) != 0)
        return failed();
    if (!S_ISREG(facts.st_mode))
        return badInput(path.string() + " is not a regular file");
    file->m_size = static_cast<std::size_t>(facts.st_size);
    file->accept(file->stamp());
    if (file->m_size == 0)
        return file;
    void *data = ::mmap(nullptr, file->m_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, file->m_file, 0);
    if (data == MAP_FAILED) // NOLINT: a macro of the system
        return failed();
    file->m_data = static_cast<std::byte *>(data);
    file->m_watched.watch(file->m_data, file->m_size);
    return file;
}

MappedFile::~MappedFile()
{
    m_watched.forget();
    if (m_data)
        ::munmap(m_data, m_size);
    if (m_file >= 0)
        ::close(m_file);
}

bool MappedFile::isIntact() const
{
    return !m_watched.isLost() && stamp().size >= static_cast<std::int64_t>(m_size);
}

MappedFile::Stamp MappedFile::stamp() const
{
    constexpr std::int64_t kSecond = 1'000'000'000;
    struct stat facts = {};
    if (::fstat(m_file, &facts) != 0)
        return {};
    return {facts.st_size, facts.st_mtim.tv_sec * kSecond + facts.st_mtim.tv_nsec,
            facts.st_ctim.tv_sec * kSecond + facts.st_ctim.tv_nsec};
}

bool MappedFile::isUntouched() const
{
    const std::scoped_lock lock(m_mutex);
    return isIntact() && stamp() == m_accepted;
}

void MappedFile::accept(const Stamp &stamp)
{
    const std::scoped_lock lock(m_mutex);
    m_accepted = stamp;
}

void MappedFile::forgetPages() const
{
    if (m_data)
        (void)::madvise(m_data, m_size, MADV_DONTNEED);
}

void MappedFile::forgetPages(std::uint64_t first, std::uint64_t count) const
{
    static const auto kPage = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    const std::uint64_t begin = (first + kPage - 1) / kPage * kPage; // the mapping begins with a page
    const std::uint64_t end = (first + count) / kPage * kPage;
    if (m_data && first + count <= m_size && begin < end)
        (void)::madvise(m_data + begin, static_cast<std::size_t>(end - begin), MADV_DONTNEED);
}

Result<std::size_t> MappedFile::read(std::size_t at, std::span<std::byte> buffer) const
{
    const ssize_t count = ::pread(m_file, buffer.data(), buffer.size(), static_cast<off_t>(at));
    if (count < 0)
        return badInput(fmt::format("cannot read {}: {}", m_path.string(), std::strerror(errno)));
    return static_cast<std::size_t>(count);
}

} // namespace headscope

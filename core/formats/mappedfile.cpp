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
    const auto failed = [&path] {
        return badInput(fmt::format("cannot read {}: {}", path.string(), std::strerror(errno)));
    };
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
    if (file->m_size == 0)
        return file;
    void *data = ::mmap(nullptr, file->m_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE,
                        file->m_file, 0);
    if (data == MAP_FAILED) // NOLINT: a macro of the system
        return failed();
    file->m_data = static_cast<std::byte *>(data);
    return file;
}

MappedFile::~MappedFile()
{
    if (m_data)
        ::munmap(m_data, m_size);
    if (m_file >= 0)
        ::close(m_file);
}

bool MappedFile::isIntact() const
{
    struct stat facts = {};
    return ::fstat(m_file, &facts) == 0 && static_cast<std::size_t>(facts.st_size) >= m_size;
}

void MappedFile::forgetPages() const
{
    if (m_data)
        (void)::madvise(m_data, m_size, MADV_DONTNEED);
}

Result<std::size_t> MappedFile::read(std::size_t at, std::span<std::byte> buffer) const
{
    const ssize_t count = ::pread(m_file, buffer.data(), buffer.size(), static_cast<off_t>(at));
    if (count < 0)
        return badInput(fmt::format("cannot read {}: {}", m_path.string(), std::strerror(errno)));
    return static_cast<std::size_t>(count);
}

} // namespace headscope

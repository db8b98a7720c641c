#include "core/formats/atomicfile.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

namespace headscope {
namespace {

Error cannotWrite(const std::filesystem::path &path, int why)
{
    const char *advice = why == ENOSPC || why == EDQUOT ? "; free some space or choose another folder"
        : why == EACCES || why == EROFS || why == EPERM ? "; choose a folder that you may write to"
                                                        : "";
    return resourceError(fmt::format("cannot write {}: {}{}", path.string(), std::strerror(why), advice));
}

/// A new file beside its target, gone again unless it was moved there.
class TemporaryFile
{
public:
    explicit TemporaryFile(const std::filesystem::path &target)
    {
        static std::atomic<unsigned> counter{0};
        for (int attempt = 0; attempt < 100; ++attempt) {
            m_path = target.parent_path()
                / fmt::format(".{}.{}.{}.tmp", target.filename().string().substr(0, 200), ::getpid(), counter++);
            m_file = ::open(m_path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
            if (m_file >= 0 || errno != EEXIST)
                break;
        }
        m_created = m_file >= 0;
    }
    ~TemporaryFile()
    {
        close();
        if (m_created)
            ::unlink(m_path.c_str());
    }
    TemporaryFile(const TemporaryFile &) = delete;
    TemporaryFile &operator=(const TemporaryFile &) = delete;

    bool isOpen() const { return m_file >= 0; }

    /// 0 or errno.
    int write(std::string_view bytes)
    {
        while (!bytes.empty()) {
            const ssize_t count = ::write(m_file, bytes.data(), bytes.size());
            if (count < 0 && errno == EINTR)
                continue;
            if (count < 0)
                return errno;
            bytes.remove_prefix(static_cast<std::size_t>(count));
        }
        return 0;
    }

    int moveTo(const std::filesystem::path &target)
    {
        if (::fsync(m_file) != 0 && errno != EINVAL && errno != ENOTSUP)
            return errno;
        if (close() != 0 || ::rename(m_path.c_str(), target.c_str()) != 0)
            return errno;
        m_created = false;
        return 0;
    }

private:
    int close()
    {
        const int file = std::exchange(m_file, -1);
        return file >= 0 ? ::close(file) : 0;
    }

    std::filesystem::path m_path;
    int m_file = -1;
    bool m_created = false;
};

/// Makes the renaming itself durable; a file system that cannot do so is no reason to fail.
void flushFolder(const std::filesystem::path &folder)
{
    const int handle = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (handle < 0)
        return;
    ::fsync(handle);
    ::close(handle);
}

} // namespace

Result<Done> writeFileAtomically(const std::filesystem::path &path,
                                 const std::function<Result<Done>(const ByteSink &)> &write)
{
    // Through a symbolic link its target is replaced, not the link.
    std::error_code noTarget;
    std::filesystem::path target = std::filesystem::canonical(path, noTarget);
    if (noTarget)
        target = std::filesystem::absolute(path);
    if (std::filesystem::is_directory(target, noTarget))
        return resourceError(path.string() + " is a folder; give a file name to write to");
    TemporaryFile file(target);
    if (!file.isOpen())
        return cannotWrite(path, errno);
    auto written = write([&](std::string_view bytes) -> Result<Done> {
        const int why = file.write(bytes);
        return why == 0 ? Result<Done>(Done{}) : Result<Done>(cannotWrite(path, why));
    });
    if (!written.isOk())
        return written;
    if (const int why = file.moveTo(target))
        return cannotWrite(path, why);
    flushFolder(target.parent_path());
    return Done{};
}

Result<Done> writeFileAtomically(const std::filesystem::path &path, std::string_view bytes)
{
    return writeFileAtomically(path, [&](const ByteSink &sink) { return sink(bytes); });
}

} // namespace headscope

#include "core/formats/atomicfile.h"

#include "core/formats/leftovers.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

namespace headscope {
namespace {

Error cannotWrite(const std::filesystem::path &path, int why)
{
    const char *advice = why == ENOSPC || why == EDQUOT ? "; free some space or choose another folder"
                       : why == EFBIG                   ? "; raise the limit (ulimit -f) or choose another disk"
                       : why == EACCES || why == EROFS || why == EPERM ? "; choose a folder that you may write to"
                                                                       : "";
    return resourceError(fmt::format("cannot write {}: {}{}", path.string(), std::strerror(why), advice));
}

/// All of the bytes; 0 or errno.
int writeAll(int file, std::string_view bytes)
{
    while (!bytes.empty()) {
        const ssize_t count = ::write(file, bytes.data(), bytes.size());
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return errno;
        bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return 0;
}

/// Where a file is to be, and what is there now.
class Target
{
public:
    explicit Target(const std::filesystem::path &path) : m_given(path)
    {
        // Through a symbolic link its target is replaced, not the link.
        std::error_code noTarget;
        m_path = std::filesystem::canonical(path, noTarget);
        if (noTarget)
            m_path = std::filesystem::absolute(path);
        m_exists = ::stat(m_path.c_str(), &m_facts) == 0;
    }

    const std::filesystem::path &path() const { return m_path; }
    /// A device or pipe: bytes go into it.
    bool isStream() const { return m_exists && (S_ISCHR(m_facts.st_mode) || S_ISFIFO(m_facts.st_mode)); }
    /// The permissions of what is there; none: those of a new file.
    std::optional<mode_t> permissions() const
    {
        return m_exists ? std::optional<mode_t>(m_facts.st_mode & 07777) : std::nullopt;
    }
    Result<Done> refused() const
    {
        if (m_exists && S_ISDIR(m_facts.st_mode))
            return resourceError(m_given.string() + " is a folder; give a file name to write to");
        if (m_exists && !S_ISREG(m_facts.st_mode) && !isStream())
            return resourceError(m_given.string() + " is a device or socket; give a file name to write to");
        return Done{};
    }

private:
    std::filesystem::path m_given;
    std::filesystem::path m_path;
    struct stat m_facts = {};
    bool m_exists = false;
};

/// Devices and pipes can only be written to as they are.
Result<Done> writeToStream(const std::filesystem::path &path,
                           const std::function<Result<Done>(const ByteSink &)> &write)
{
    // Not waiting: without a reader a pipe would keep the program forever.
    const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0 && errno == ENXIO)
        return resourceError(path.string() + " is a pipe without a reader");
    if (file < 0)
        return cannotWrite(path, errno);
    ::fcntl(file, F_SETFL, ::fcntl(file, F_GETFL) & ~O_NONBLOCK);
    auto written = write([&](std::string_view bytes) -> Result<Done> {
        const int why = writeAll(file, bytes);
        return why == 0 ? Result<Done>(Done{}) : Result<Done>(cannotWrite(path, why));
    });
    const int why = ::close(file) == 0 ? 0 : errno;
    return written.isOk() && why != 0 ? Result<Done>(cannotWrite(path, why)) : written;
}

/// A new file beside its target, gone again unless it was moved there.
class TemporaryFile
{
public:
    TemporaryFile(const std::filesystem::path &target, std::optional<mode_t> permissions)
    {
        removeLeftovers(target.parent_path());
        for (int attempt = 0; attempt < 100; ++attempt) {
            m_path = unfinishedName(target, kUnfinishedFile);
            m_file = ::open(m_path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
            if (m_file >= 0 || errno != EEXIST)
                break;
        }
        m_created = m_file >= 0;
        if (m_created)
            markUnfinished(m_file);
        if (m_created && permissions)
            ::fchmod(m_file, *permissions);
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
    int write(std::string_view bytes) { return writeAll(m_file, bytes); }

    /// Nothing more is written, and all of it is on disk. 0 or errno.
    int finish()
    {
        if (::fsync(m_file) != 0 && errno != EINVAL && errno != ENOTSUP)
            return errno;
        return close() == 0 ? 0 : errno;
    }

    /// After finish(). 0 or errno.
    int moveTo(const std::filesystem::path &target)
    {
        if (::rename(m_path.c_str(), target.c_str()) != 0)
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

/// An old file out of the way: gone in the end, or back where it was.
class SetAside
{
public:
    explicit SetAside(const std::filesystem::path &path) : m_path(path), m_aside(unfinishedName(path, kUnfinishedFile))
    {
        m_mark = ::open(m_path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        if (m_mark >= 0)
            markUnfinished(m_mark);
        m_trouble = ::rename(m_path.c_str(), m_aside.c_str()) == 0 ? 0 : errno;
    }
    ~SetAside()
    {
        if (m_mark >= 0)
            ::close(m_mark);
        if (m_trouble == 0)
            ::rename(m_aside.c_str(), m_path.c_str());
    }
    SetAside(const SetAside &) = delete;
    SetAside &operator=(const SetAside &) = delete;

    /// 0 or errno; that nothing was there is none.
    int trouble() const { return m_trouble == ENOENT ? 0 : m_trouble; }
    void forget()
    {
        if (std::exchange(m_trouble, ENOENT) == 0)
            ::unlink(m_aside.c_str());
    }

private:
    std::filesystem::path m_path;
    std::filesystem::path m_aside;
    int m_mark = -1;
    int m_trouble = 0;
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
    const Target target(path);
    if (const auto refused = target.refused(); !refused.isOk())
        return refused;
    if (target.isStream())
        return writeToStream(path, write);
    TemporaryFile file(target.path(), target.permissions());
    if (!file.isOpen())
        return cannotWrite(path, errno);
    auto written = write([&](std::string_view bytes) -> Result<Done> {
        const int why = file.write(bytes);
        return why == 0 ? Result<Done>(Done{}) : Result<Done>(cannotWrite(path, why));
    });
    if (!written.isOk())
        return written;
    int why = file.finish();
    if (why == 0)
        why = file.moveTo(target.path());
    if (why != 0)
        return cannotWrite(path, why);
    flushFolder(target.path().parent_path());
    return Done{};
}

Result<Done> writeWithCompanion(const std::filesystem::path &path, std::string_view bytes,
                                const std::filesystem::path &companion, std::string_view companionBytes)
{
    const Target target(companion);
    if (const auto refused = target.refused(); !refused.isOk())
        return refused;
    TemporaryFile file(target.path(), target.permissions());
    if (!file.isOpen())
        return cannotWrite(companion, errno);
    int why = file.write(companionBytes);
    if (why == 0)
        why = file.finish();
    if (why != 0)
        return cannotWrite(companion, why);
    SetAside old(target.path());
    if (old.trouble() != 0)
        return cannotWrite(companion, old.trouble());
    if (auto written = writeFileAtomically(path, bytes); !written.isOk())
        return written;
    old.forget();
    if (why = file.moveTo(target.path()); why != 0)
        return cannotWrite(companion, why);
    flushFolder(target.path().parent_path());
    return Done{};
}

Result<Done> checkWritable(const std::filesystem::path &path)
{
    const Target target(path);
    if (const auto refused = target.refused(); !refused.isOk())
        return refused;
    if (target.isStream())
        return ::access(path.c_str(), W_OK) == 0 ? Result<Done>(Done{}) : Result<Done>(cannotWrite(path, errno));
    const TemporaryFile tried(target.path(), target.permissions());
    return tried.isOpen() ? Result<Done>(Done{}) : Result<Done>(cannotWrite(path, errno));
}

Result<Done> writeFileAtomically(const std::filesystem::path &path, std::string_view bytes)
{
    return writeFileAtomically(path, [&](const ByteSink &sink) { return sink(bytes); });
}

} // namespace headscope

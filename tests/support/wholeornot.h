#pragma once

#include "tests/support/faultydisk.h"

#include <QByteArray>
#include <QDir>
#include <QFileInfo>
#include <QString>
#include <QTest>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <system_error>

/// What is written appears whole or not at all, wherever the disk fails and whenever the program is killed.
namespace headscope::testing {

/// For QTemporaryDir. In memory where there is such a place: thousands of writes wait for a disk otherwise.
inline QString fastFolderTemplate()
{
    const bool memory = QFileInfo(QStringLiteral("/dev/shm")).isWritable();
    return (memory ? QStringLiteral("/dev/shm") : QDir::tempPath()) + QStringLiteral("/headscope-faults-XXXXXX");
}

/// Every file below a folder and its bytes; folders end in '/'.
using FolderContent = std::map<std::string, std::string>;

enum class Hidden { Counts, IsIgnored };

/// Nothing of a folder that is not there. Hidden: whatever has a dot before its name, or lies in such a folder.
inline FolderContent contentOf(const std::filesystem::path &folder, Hidden hidden = Hidden::Counts)
{
    FolderContent content;
    std::error_code isMissing;
    for (const auto &entry : std::filesystem::recursive_directory_iterator(folder, isMissing)) {
        const std::string name = std::filesystem::relative(entry.path(), folder).string();
        if (hidden == Hidden::IsIgnored && (name.starts_with('.') || name.find("/.") != std::string::npos))
            continue;
        if (entry.is_directory()) {
            content.emplace(name + '/', "");
            continue;
        }
        std::ifstream file(entry.path(), std::ios::binary);
        content[name] = {std::istreambuf_iterator<char>(file), {}};
    }
    return content;
}

/// Something that writes into a folder.
struct WriteUnderTest
{
    std::filesystem::path folder; ///< what is in it is compared
    std::function<void()> begin;  ///< makes the folder what it is before
    std::function<bool()> write;  ///< the same bytes every time; whether it worked
    /// States in the middle that are as good as whole; may be empty.
    std::function<bool(const FolderContent &now, const FolderContent &before, const FolderContent &after)> alsoWhole
        = {};
};

/// Before and after, undisturbed.
class WholeStates
{
public:
    explicit WholeStates(const WriteUnderTest &under) : m_under(under)
    {
        under.begin();
        m_before = contentOf(under.folder);
        m_worked = under.write();
        m_after = contentOf(under.folder);
        under.begin();
    }

    bool worked() const { return m_worked && m_before != m_after; }
    const FolderContent &before() const { return m_before; }
    const FolderContent &after() const { return m_after; }
    bool has(const FolderContent &now) const
    {
        return now == m_before || now == m_after || (m_under.alsoWhole && m_under.alsoWhole(now, m_before, m_after));
    }

private:
    const WriteUnderTest &m_under;
    FolderContent m_before;
    FolderContent m_after;
    bool m_worked = false;
};

/// The disk is full after any number of bytes (or every so many): nothing has changed, nothing is left over. `step` 1
/// for what is small.
inline void checkFullDisk(const WriteUnderTest &under, std::int64_t step = 1)
{
    const WholeStates states(under);
    QVERIFY(states.worked());
    std::int64_t bytes = 0;
    for (bool worked = false; !worked; bytes += step) {
        {
            const DiskFullAfter full(bytes);
            worked = under.write();
        }
        const auto now = contentOf(under.folder);
        QVERIFY2(now == (worked ? states.after() : states.before()), QByteArray::number(static_cast<qlonglong>(bytes)));
    }
    QVERIFY(bytes > 10 * step); // or nothing was written to this disk
}

/// Any single call fails.
inline void checkFailingCalls(const WriteUnderTest &under)
{
    const WholeStates states(under);
    QVERIFY(states.worked());
    for (int call = 0;; ++call) {
        under.begin();
        bool worked = false;
        bool failed = false;
        {
            const CallFails broken(call);
            worked = under.write();
            failed = broken.happened();
        }
        const auto now = contentOf(under.folder);
        QVERIFY2(worked ? now == states.after() : states.has(now), QByteArray::number(call));
        if (!failed) {
            QVERIFY(call >= 3 && worked); // at least written, flushed and renamed
            return;
        }
    }
}

/// The program is killed before any single call; written again after that, it is what it should be.
inline void checkKills(const WriteUnderTest &under)
{
    const WholeStates states(under);
    QVERIFY(states.worked());
    bool killed = true;
    for (int call = 0; killed; ++call) {
        under.begin();
        killed = killedAtCall(call, [&] { (void)under.write(); });
        QVERIFY(killed || call >= 3);
        QVERIFY2(states.has(contentOf(under.folder, Hidden::IsIgnored)), QByteArray::number(call));
        (void)under.write(); // refused where all was there already and may not be replaced
        QVERIFY2(contentOf(under.folder, Hidden::IsIgnored) == states.after(), QByteArray::number(call));
    }
}

} // namespace headscope::testing

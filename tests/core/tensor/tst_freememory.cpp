// What may be taken of memory, in made-up copies of /proc and /sys.
#include "core/tensor/freememory.h"

#include <QTemporaryDir>
#include <QTest>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

using namespace headscope;

namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;

class Machine
{
public:
    Machine() { write("proc/meminfo", "MemTotal:  8388608 kB\nMemFree:  1024 kB\nMemAvailable:  4194304 kB\n"); }
    void write(const std::string &name, const std::string &text) const
    {
        const auto file = root() / name;
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file) << text;
    }
    /// A control group of the second version.
    void addGroup(const std::string &path, const std::string &most, std::int64_t used, std::int64_t cached) const
    {
        const std::string folder = "sys/fs/cgroup/" + path;
        write(folder + "/memory.max", most + "\n");
        write(folder + "/memory.current", std::to_string(used) + "\n");
        write(folder + "/memory.stat", "anon 5\nfile 7\ninactive_file " + std::to_string(cached) + "\n");
    }
    std::int64_t available() const { return availableMemory(root()).value_or(-1); }
    std::filesystem::path root() const { return m_folder.path().toStdString(); }

private:
    QTemporaryDir m_folder;
};

} // namespace

class TestFreeMemory : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void withoutGroupsItIsTheMachines()
    {
        const Machine machine;
        QCOMPARE(machine.available(), 4096 * kMiB);
        machine.write("proc/self/cgroup", "0::/\n");
        QCOMPARE(machine.available(), 4096 * kMiB);
    }

    void theTightestGroupCounts()
    {
        const Machine machine;
        machine.write("proc/self/cgroup", "0::/job/step\n");
        machine.addGroup("job/step", "max", 900 * kMiB, 0);
        QCOMPARE(machine.available(), 4096 * kMiB);
        machine.addGroup("job", std::to_string(1000 * kMiB), 900 * kMiB, 300 * kMiB);
        QCOMPARE(machine.available(), 400 * kMiB); // what files are cached in is given back
        machine.addGroup("job/step", std::to_string(950 * kMiB), 900 * kMiB, 0);
        QCOMPARE(machine.available(), 50 * kMiB);
        machine.addGroup("job/step", std::to_string(100 * kMiB), 900 * kMiB, 0);
        QCOMPARE(machine.available(), std::int64_t{0});
    }

    void containersSeeTheirTopmostGroup()
    {
        const Machine machine;
        machine.write("proc/self/cgroup", "0::/docker/0123456789\n"); // a path of the machine outside
        machine.addGroup("", std::to_string(1000 * kMiB), 200 * kMiB, 0);
        QCOMPARE(machine.available(), 800 * kMiB);
    }

    void theFirstVersionIsRead()
    {
        const Machine machine;
        machine.write("proc/self/cgroup", "5:cpu,cpuacct:/a\n4:memory:/a\n0::/\n");
        machine.write("sys/fs/cgroup/memory/a/memory.limit_in_bytes", std::to_string(600 * kMiB) + "\n");
        machine.write("sys/fs/cgroup/memory/a/memory.usage_in_bytes", std::to_string(200 * kMiB) + "\n");
        machine.write("sys/fs/cgroup/memory/a/memory.stat",
                      "inactive_file 1\ntotal_inactive_file " + std::to_string(100 * kMiB) + "\n");
        QCOMPARE(machine.available(), 500 * kMiB);
    }

    void aSystemThatDoesNotTellIsNotGuessed()
    {
        const QTemporaryDir empty;
        QVERIFY(!availableMemory(empty.path().toStdString()));
    }

    void thisMachineTells()
    {
        if (!std::filesystem::exists("/proc/meminfo"))
            QSKIP("not Linux");
        QVERIFY(availableMemory().value_or(0) > kMiB);
    }
};

QTEST_APPLESS_MAIN(TestFreeMemory)
#include "tst_freememory.moc"

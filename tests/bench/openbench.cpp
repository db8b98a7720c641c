// Prints how long a model of BERT-base's size takes to open and what it costs in memory, from a cold and a warm disk
// cache, each in a process of its own:
//   headscope-openbench [FOLDER [DTYPE]]
// FOLDER is made if it is not there (440 MB of random weights) and kept; without it a temporary one is used.
// Memory is of the whole process, LibTorch's libraries included; "grown" is what opening added. Ratios are to the
// size of the weights file; absolute times belong to the machine named on top.
#include "core/analysis/evaluationspec.h"
#include "core/session/session.h"
#include "tests/bench/randommodel.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <fstream>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace headscope;
namespace fs = std::filesystem;

namespace {

constexpr const char *kShape = "bert-base";
constexpr RandomExamples kExamples{.count = 32, .shortest = 64, .longest = 64};
constexpr const char *kMeasure = "--measure";

// --- What the system says --------------------------------------------------------------------------------------------

struct Memory
{
    double resident = 0; ///< MB, all of them
    double anonymous = 0;
    double file = 0;
    double peak = 0;

    static Memory now()
    {
        Memory memory;
        std::ifstream status("/proc/self/status");
        for (std::string line; std::getline(status, line);) {
            for (const auto &[key, value] : {std::pair{"VmRSS:", &memory.resident},
                                             {"RssAnon:", &memory.anonymous},
                                             {"RssFile:", &memory.file},
                                             {"VmHWM:", &memory.peak}}) {
                if (line.starts_with(key))
                    *value = std::stod(line.substr(std::string_view(key).size())) * 1024 / 1e6;
            }
        }
        return memory;
    }
};

/// Share of the file that the system keeps in memory; first lets go of it if `forget`.
double cachedShare(const fs::path &path, bool forget)
{
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    const auto size = static_cast<std::size_t>(fs::file_size(path));
    if (forget)
        posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
    void *memory = mmap(nullptr, size, PROT_READ, MAP_SHARED, file, 0);
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    std::vector<unsigned char> pages((size + page - 1) / page);
    const bool known = memory != MAP_FAILED && mincore(memory, size, pages.data()) == 0;
    std::size_t cached = 0;
    for (const unsigned char one : pages)
        cached += one & 1U;
    if (memory != MAP_FAILED)
        munmap(memory, size);
    close(file);
    return known ? static_cast<double>(cached) / static_cast<double>(pages.size()) : -1;
}

// --- The measurement -------------------------------------------------------------------------------------------------

template<typename Work>
double secondsOf(Work &&work)
{
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void printMemory(const char *when, const Memory &memory, const Memory &before, double fileMb)
{
    fmt::print("  {:<24} {:7.0f} MB = {:4.2f}   anonymous {:6.0f} = {:4.2f}   file {:6.0f} = {:4.2f}   peak {:6.0f} = "
               "{:4.2f}   grown {:4.2f}\n",
               when, memory.resident, memory.resident / fileMb, memory.anonymous, memory.anonymous / fileMb,
               memory.file, memory.file / fileMb, memory.peak, memory.peak / fileMb,
               (memory.resident - before.resident) / fileMb);
}

void measure(const fs::path &folder, const std::string &dtype)
{
    const double fileMb = static_cast<double>(fs::file_size(folder / "model.safetensors")) / 1e6;
    ModelOptions options;
    options.device = "cpu";
    options.dtype = dtype;
    const Memory before = Memory::now();
    std::shared_ptr<Session> session;
    const double opening = secondsOf([&] { session = Session::open(folder, options, {}).valueOrThrow(); });
    const Memory opened = Memory::now();
    DataSource data;
    data.table = folder / "rows.jsonl";
    EvaluationSpec spec;
    spec.resamples = 0;
    const double evaluating = secondsOf([&] {
        (void)session->setData(Domain::In, data, {}).valueOrThrow();
        (void)session->run<EvaluationSpec>(Domain::In, spec, {}).valueOrThrow();
    });
    fmt::print("  opened in {:.2f} s ({:.0f} MB/s); first score of {} rows of {} tokens in {:.2f} s\n", opening,
               fileMb / opening, kExamples.count, kExamples.longest, evaluating);
    printMemory("before", before, before, fileMb);
    printMemory("opened", opened, before, fileMb);
    printMemory("after the first score", Memory::now(), before, fileMb);
}

/// In a process of its own, as a user's would be: nothing is left of the run before.
void measureApart(const fs::path &folder, const std::string &dtype)
{
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        execl("/proc/self/exe", "headscope-openbench", kMeasure, folder.c_str(), dtype.c_str(), nullptr);
        _exit(127);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) < 0 || status != 0)
        throw std::runtime_error("the measurement failed");
}

std::string processorName()
{
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);) {
        if (line.starts_with("model name"))
            return line.substr(line.find(':') + 2);
    }
    return "unknown processor";
}

void run(const fs::path &folder, const std::string &dtype)
{
    const fs::path weights = folder / "model.safetensors";
    if (!fs::exists(weights))
        fmt::print("wrote the folder in {:.1f} s\n", secondsOf([&] { writeRandomModel(folder, kShape, kExamples); }));
    fmt::print("{}, {} processors, {:.0f} MB of weights in f32, computing in {}\n", processorName(),
               sysconf(_SC_NPROCESSORS_ONLN), static_cast<double>(fs::file_size(weights)) / 1e6, dtype);
    for (const bool cold : {true, false}) {
        const double cached = cachedShare(weights, cold);
        fmt::print("{}: {:.0f} % of the file in the disk cache\n", cold ? "cold" : "warm", 100 * cached);
        measureApart(folder, dtype);
    }
}

} // namespace

int main(int argc, char **argv)
{
    const bool given = argc > 1;
    const fs::path folder
        = given ? fs::path(argv[1]) : fs::temp_directory_path() / fmt::format("headscope-openbench-{}", getpid());
    int status = 0;
    try {
        if (argc == 4 && folder == kMeasure)
            measure(argv[2], argv[3]);
        else
            run(folder, argc > 2 ? argv[2] : "f32");
    } catch (const std::exception &error) {
        fmt::print(stderr, "{}\n", error.what());
        status = 1;
    }
    std::error_code ignored;
    if (!given)
        fs::remove_all(folder, ignored);
    return status;
}

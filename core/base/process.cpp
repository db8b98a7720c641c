#include "core/base/process.h"

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace headscope {

namespace {

constexpr std::size_t kBufferOfThread = std::size_t{128} << 20; ///< of OpenBLAS
constexpr int kExitCode = 3;                                    ///< of the command line: a resource is missing

/// Those that OpenBLAS makes, as it counts them.
std::size_t productThreads(char **environment) noexcept
{
    cpu_set_t usable;
    CPU_ZERO(&usable);
    std::size_t threads = sched_getaffinity(0, sizeof usable, &usable) == 0 ? CPU_COUNT(&usable) : 1;
    for (char **variable = environment; variable != nullptr && *variable != nullptr; ++variable) {
        for (const char *name : {"OPENBLAS_NUM_THREADS=", "OMP_NUM_THREADS="}) {
            const std::size_t length = std::strlen(name);
            const long asked
                = std::strncmp(*variable, name, length) == 0 ? std::strtol(*variable + length, nullptr, 10) : 0;
            if (asked > 0)
                threads = std::min(threads, static_cast<std::size_t>(asked));
        }
    }
    return threads;
}

void say(const char *text) noexcept
{
    (void)!::write(STDERR_FILENO, text, std::strlen(text));
}

bool hasRoom(std::size_t buffers) noexcept
{
    rlimit limit{};
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return true;
    const std::size_t bytes = buffers * kBufferOfThread;
    void *tried = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (tried == MAP_FAILED) // NOLINT: a macro of the system
        return false;
    munmap(tried, bytes);
    return true;
}

} // namespace

bool hasRoomForProducts() noexcept
{
    return hasRoom(1); // the threads have theirs
}

void requireRoomForProducts(const char *program, char **environment) noexcept
{
    if (hasRoom(productThreads(environment) + 1))
        return;
    say(program);
    say(": ");
    say(kNoRoomForProducts);
    say("\n");
    _exit(kExitCode);
}

void setUpProcess()
{
    // A file as large as the process may make it (ulimit -f) is an error of writing, as a full disk is.
    (void)std::signal(SIGXFSZ, SIG_IGN);
    // Kernels that oneDNN has made must stay (halfkernels.h), and training has thousands of shapes.
    (void)::setenv("DNNL_PRIMITIVE_CACHE_CAPACITY", "1000000", 0);
#ifdef __GLIBC__
    // The allocator keeps what is freed, up to 1 GiB in each thread's share: fast paths free and take again blocks of
    // megabytes all the time, and fetching their pages from the system anew costs a tenth of all time.
    (void)::mallopt(M_TRIM_THRESHOLD, 1 << 30);
    (void)::mallopt(M_MMAP_THRESHOLD, 32 << 20);
#endif
}

void ignoreBrokenPipes()
{
    (void)std::signal(SIGPIPE, SIG_IGN);
}

void endProcess(int code)
{
    std::cout.flush();
    std::cerr.flush();
    std::fflush(nullptr);
#ifdef __SANITIZE_ADDRESS__
    std::exit(code); // leaks are looked for on the way
#else
    std::_Exit(code);
#endif
}

} // namespace headscope

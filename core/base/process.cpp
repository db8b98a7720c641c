#include "core/base/process.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace headscope {

void setUpProcess()
{
    // What oneDNN has made must stay made (halfkernels.h), and training has thousands of shapes.
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

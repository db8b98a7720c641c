#include "core/tensor/freememory.h"

#include <cstdlib>
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace headscope {

void returnFreeMemory()
{
#ifdef __GLIBC__
    (void)::malloc_trim(0);
#endif
}

void keepFreedMemory()
{
#ifdef __GLIBC__
    (void)::mallopt(M_TRIM_THRESHOLD, 1 << 30);
    (void)::mallopt(M_MMAP_THRESHOLD, 32 << 20);
#endif
}

} // namespace headscope

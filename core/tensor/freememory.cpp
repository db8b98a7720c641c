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

} // namespace headscope

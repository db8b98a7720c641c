#include "app/cli/cli.h"
#include "core/base/process.h"

namespace {

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) // they begin only after it
void requireRoom(int, char **, char **environment)
{
    headscope::requireRoomForProducts("headscope-cli", environment);
}

/// Run before any shared library is set up; only a program itself may have such functions.
[[gnu::section(".preinit_array"), gnu::used]] void (*const beforeLibraries)(int, char **, char **) = requireRoom;
#endif

} // namespace

int main(int argc, char **argv)
{
    headscope::setUpProcess();
    headscope::endProcess(headscope::cli::run(argc, argv));
}

// Preloaded by a test: a library whose thread stands before main() and blocks no signal, as OpenBLAS's threads do.
#include <chrono>
#include <thread>

namespace {

[[maybe_unused]] const bool isStarted = [] {
    std::thread([] {
        for (;;)
            std::this_thread::sleep_for(std::chrono::hours(1));
    }).detach();
    return true;
}();

} // namespace

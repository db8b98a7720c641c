#pragma once

namespace headscope {

/// Process-wide settings that computing needs. Call it first in main(): the environment must not change once there are
/// threads.
void setUpProcess();

/// Whether this process may map another buffer of LibTorch's products, tried by a mapping that is given back. Where it
/// may not (`ulimit -v`), OpenBLAS asks for them again and again and never comes back.
bool hasRoomForProducts() noexcept;

/// The message where a process has no room for products.
inline constexpr const char *kNoRoomForProducts
    = "this process may not have enough address space for LibTorch's buffers (128 MiB a thread). Raise the limit "
      "(ulimit -v), or let fewer threads compute (OMP_NUM_THREADS=1).";

/// Ends the program with exit code 3 and that sentence, begun with the program's name, if it has no room for a buffer a
/// thread and one more. Uses nothing
/// that must be set up, for .preinit_array: LibTorch's libraries take their first buffers before main(). The C library
/// knows no environment then; it is handed over.
void requireRoomForProducts(const char *program, char **environment) noexcept;

/// From now on, writing to a program or a connection that is gone is an error, not the end of this program.
void ignoreBrokenPipes();

/// The last thing in main(): writes what is buffered and ends the program without the destructors of LibTorch's static
/// objects, which take longer than reading a small model. Threads that still wait for work end with it.
[[noreturn]] void endProcess(int code);

} // namespace headscope

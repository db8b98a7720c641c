#pragma once

namespace headscope {

/// Process-wide settings that computing needs. Call it first in main(): the environment must not change once there are
/// threads.
void setUpProcess();

/// From now on, writing to a closed pipe or connection is an error and does not end this program.
void ignoreBrokenPipes();

/// The last thing in main(): writes what is buffered and ends the program without the destructors of LibTorch's static
/// objects, which take longer than reading a small model. Threads that still wait for work end with it.
[[noreturn]] void endProcess(int code);

} // namespace headscope

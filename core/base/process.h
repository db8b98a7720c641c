#pragma once

namespace headscope {

/// Settings of the whole process that computing needs. The first thing in main(): the environment must not be changed
/// once there are threads.
void setUpProcess();

/// From now on, writing to a program or a connection that is gone is an error, not the end of this program.
void ignoreBrokenPipes();

/// The last thing in main(): writes what is buffered and ends the program without the destructors of LibTorch's static
/// objects, which take longer than reading a small model. Threads that still wait for work end with it.
[[noreturn]] void endProcess(int code);

} // namespace headscope

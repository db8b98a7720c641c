#pragma once

namespace headscope {

/// Settings of the whole process that computing needs. The first thing in main(): the environment must not be changed once
/// there are threads.
void setUpProcess();

} // namespace headscope

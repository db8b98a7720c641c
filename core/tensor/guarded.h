#pragma once

#include "core/base/filesystemerror.h"
#include "core/base/result.h"

#include <c10/util/Exception.h>

#include <filesystem>
#include <new>
#include <string>

namespace headscope {

/// Runs `work` and turns what it throws into a Result: the boundary between torch code and everything else.
template<typename Work>
auto guarded(Work &&work) -> Result<decltype(work())>
{
    using Value = decltype(work());
    try {
        return work();
    } catch (const Cancelled &) {
        return Result<Value>::cancelled();
    } catch (const Failure &failure) {
        return failure.error();
    } catch (const c10::Error &error) {
        // what() would add a C++ backtrace.
        const std::string text = error.what_without_backtrace();
        const bool memory = text.find("out of memory") != std::string::npos
                         || text.find("can't allocate memory") != std::string::npos;
        return Error{memory ? ErrorCode::Resource : ErrorCode::Internal,
                     memory ? "Not enough memory: " + text + " Use a smaller --batch-tokens or fewer examples."
                            : "LibTorch reported: " + text};
    } catch (const std::bad_alloc &) {
        return resourceError("Not enough memory. Use a smaller --batch-tokens or fewer examples (--limit).");
    } catch (const std::filesystem::filesystem_error &error) {
        return fileSystemError(error);
    } catch (const std::exception &error) {
        return Error{ErrorCode::Internal, error.what()};
    }
}

} // namespace headscope

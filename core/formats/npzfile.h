#pragma once

#include "core/base/result.h"
#include "core/formats/tensorentry.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace headscope {

/// The arrays of a NumPy archive (.npz), as np.savez, np.savez_compressed and Marian write them.
struct NpzFile
{
    std::vector<TensorEntry> tensors; ///< names without ".npy"
    /// Where arrays are compressed: the bytes of all, which offsets count from. Otherwise nothing: offsets count from
    /// the start of the file.
    std::shared_ptr<std::vector<std::byte>> unpacked;
};

/// Checks a whole archive: every array lies inside the file, and what is unpacked has the size that was said before and
/// at most 16 times that of the file. Objects (pickles) and records are refused; nothing is executed. Errors call the
/// file `name`.
Result<NpzFile> parseNpz(std::span<const std::byte> file, const std::string &name);

} // namespace headscope

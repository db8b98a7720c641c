#pragma once

#include "core/base/result.h"

#include <torch/types.h>

#include <string>
#include <vector>

namespace headscope {

/// "auto" (a GPU where there is one), "cpu", "cuda", "cuda:N".
Result<torch::Device> parseDevice(const std::string &text);
/// Reads a device, or "cuda:all" for every GPU; work that cannot be divided runs on the first. Never empty.
Result<std::vector<torch::Device>> parseDevices(const std::string &text);
/// "f32" or "bf16".
Result<torch::ScalarType> parseDtype(const std::string &text);
/// Whether matrix products in bf16 are faster than in f32 on this device: GPUs, processors with instructions for them.
bool isBf16Fast(const torch::Device &device);
/// As the processor calls itself, with the features that matter here.
std::string processorName();
std::string dtypeName(torch::ScalarType dtype);

struct ProcessorReport
{
    std::string libtorch;
    std::string blas; ///< what LibTorch multiplies matrices with
    int threads = 0;
    std::string processor; ///< name and the features that matter here
    std::vector<std::string> devices;
    std::vector<std::string> warnings;
};
/// `threads`: as they were asked for; 0 = one per core.
ProcessorReport processorReport(int threads);
std::string libtorchVersion();

} // namespace headscope

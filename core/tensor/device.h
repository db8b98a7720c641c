#pragma once

#include "core/base/result.h"

#include <torch/types.h>

#include <string>
#include <vector>

namespace headscope {

/// "auto" (a GPU where there is one), "cpu", "cuda", "cuda:N".
Result<torch::Device> parseDevice(const std::string &text);
/// "f32" or "bf16".
Result<torch::ScalarType> parseDtype(const std::string &text);
/// Whether matrix products in bf16 are faster than in f32 on this device: GPUs, processors with instructions for them.
bool isBf16Fast(const torch::Device &device);
/// Whether the processor has matrix units for bf16 (AMX): products then cost a tenth of those in f32.
bool hasMatrixUnits();
std::string dtypeName(torch::ScalarType dtype);

/// The one place that decides thread counts (parallel.h): `threads` batches side by side (one per core when 0). In bf16
/// on a processor they run one after the other on all threads: oneDNN 2.6, which LibTorch 1.13 multiplies them with,
/// fails now and then when two threads make kernels at the same time.
void setThreads(int threads, const torch::Device &device = torch::kCPU, torch::ScalarType dtype = torch::kFloat32);

struct ProcessorReport
{
    std::string libtorch;
    std::string blas; ///< what LibTorch multiplies matrices with
    int threads = 0;
    std::string processor; ///< name and the features that matter here
    std::vector<std::string> devices;
    std::vector<std::string> warnings;
};
ProcessorReport processorReport();

} // namespace headscope

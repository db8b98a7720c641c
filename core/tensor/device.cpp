#include "core/tensor/device.h"

#include "core/tensor/execution.h"

#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <torch/cuda.h>
#include <torch/version.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <thread>

namespace headscope {

Result<torch::Device> parseDevice(const std::string &text)
{
    if (text == "cpu")
        return torch::Device(torch::kCPU);
    if (text == "auto")
        return torch::Device(torch::cuda::is_available() ? torch::kCUDA : torch::kCPU);
    if (text == "cuda" || text.starts_with("cuda:")) {
        if (!torch::cuda::is_available())
            return resourceError("Device \"" + text
                                 + "\" was asked for, but this LibTorch finds no CUDA device. Use --device cpu, or "
                                   "build against a LibTorch with CUDA (CMAKE_PREFIX_PATH).");
        int index = 0;
        if (text.size() > 5) {
            std::istringstream number(text.substr(5));
            if (!(number >> index) || !number.eof() || index < 0
                || index >= static_cast<int>(torch::cuda::device_count()))
                return usageError("Device \"" + text + "\": there are " + std::to_string(torch::cuda::device_count())
                                  + " CUDA devices.");
        }
        return torch::Device(torch::kCUDA, static_cast<c10::DeviceIndex>(index));
    }
    return usageError("Unknown device \"" + text + "\": expected auto, cpu, cuda, cuda:N or cuda:all.");
}

Result<std::vector<torch::Device>> parseDevices(const std::string &text)
{
    const bool all = text == "cuda:all";
    auto first = parseDevice(all ? "cuda" : text);
    if (!first.isOk())
        return first.error();
    if (!all)
        return std::vector{std::move(first).value()};
    std::vector<torch::Device> devices;
    for (std::size_t i = 0; i < static_cast<std::size_t>(torch::cuda::device_count()); ++i)
        devices.emplace_back(torch::kCUDA, static_cast<c10::DeviceIndex>(i));
    return devices;
}

Result<torch::ScalarType> parseDtype(const std::string &text)
{
    if (text == "f32")
        return torch::kFloat32;
    if (text == "bf16")
        return torch::kBFloat16;
    return usageError("Unknown dtype \"" + text + "\": expected f32 or bf16.");
}

std::string dtypeName(torch::ScalarType dtype)
{
    return dtype == torch::kBFloat16 ? "bf16" : "f32";
}

namespace {

/// First value of `key` in /proc/cpuinfo; empty where there is no such file.
std::string cpuInfo(const std::string &key)
{
    std::ifstream file("/proc/cpuinfo");
    std::string line;
    while (std::getline(file, line)) {
        if (line.starts_with(key)) {
            const auto colon = line.find(": ");
            if (colon != std::string::npos)
                return line.substr(colon + 2);
        }
    }
    return {};
}

/// Paths of the shared libraries in this process whose name contains `part`.
std::vector<std::string> loadedLibraries(const std::string &part)
{
    std::vector<std::string> found;
    std::ifstream file("/proc/self/maps");
    std::string line;
    while (std::getline(file, line)) {
        const auto slash = line.find('/');
        if (slash == std::string::npos)
            continue;
        std::string path = line.substr(slash);
        if (path.find(part) != std::string::npos && (found.empty() || found.back() != path))
            found.push_back(std::move(path));
    }
    return found;
}

std::string blasName(std::vector<std::string> &warnings)
{
    const auto libraries = loadedLibraries("blas");
    for (const std::string &path : libraries) {
        if (path.find("openblas") != std::string::npos && path.find("pthread") != std::string::npos)
            return "OpenBLAS (pthread)"; // Execution keeps its threads from competing with the workers
        if (path.find("openblas") != std::string::npos)
            return path.find("openmp") != std::string::npos ? "OpenBLAS (OpenMP)" : "OpenBLAS";
    }
    if (at::show_config().find("Intel(R) MKL") != std::string::npos || !loadedLibraries("mkl").empty())
        return "Intel MKL";
    if (!libraries.empty()) {
        warnings.emplace_back("LibTorch uses the reference BLAS, which is slow. Remedy: apt install "
                              "libopenblas0-openmp.");
        return "reference BLAS";
    }
    return "built into LibTorch";
}

std::string processorFeatures()
{
    std::istringstream flags(cpuInfo("flags"));
    std::string flag;
    std::string features;
    while (flags >> flag) {
        if (flag == "avx2" || flag == "avx512f" || flag == "avx512_bf16" || flag == "amx_bf16")
            features += (features.empty() ? "" : ", ") + flag;
    }
    return features;
}

} // namespace

bool isBf16Fast(const torch::Device &device)
{
    if (!device.is_cpu())
        return true;
    const std::string features = processorFeatures();
    return at::hasMKLDNN() // whose products they are
        && (features.find("avx512_bf16") != std::string::npos || features.find("amx_bf16") != std::string::npos);
}

std::string processorName()
{
    const std::string features = processorFeatures();
    return cpuInfo("model name") + (features.empty() ? "" : " (" + features + ")");
}

std::string libtorchVersion()
{
    return TORCH_VERSION;
}

ProcessorReport processorReport(int threads)
{
    ProcessorReport report;
    report.libtorch = libtorchVersion();
    report.blas = blasName(report.warnings);
    report.threads = Execution::threadCount(threads);
    report.processor = processorName();
    report.devices = {"cpu"};
    if (torch::cuda::is_available()) {
        for (std::size_t i = 0; i < static_cast<std::size_t>(torch::cuda::device_count()); ++i)
            report.devices.push_back("cuda:" + std::to_string(i));
    }
    const int cores = Execution::threadCount(0);
    if (report.threads == 1 && cores > 1)
        report.warnings.push_back("1 thread on a machine of " + std::to_string(cores) + " cores. Remedy: --threads "
                                  + std::to_string(cores) + ".");
    return report;
}

} // namespace headscope

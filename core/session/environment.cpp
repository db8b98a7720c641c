#include "core/session/environment.h"

#include "core/packed/linear.h"
#include "core/tensor/device.h"

#include <headscope/version.h>

namespace headscope {

Environment environment(int threads)
{
    ProcessorReport report = processorReport(threads);
    if (!hasPackedProducts())
        report.warnings.emplace_back(
            "Built without oneDNN: sweeps on the processor take two to five times as long. Remedy: "
            "apt install libdnnl-dev, then build again.");
    else
        report.blas += "; sweeps: " + productLibrary();
    return {.version = HEADSCOPE_VERSION,
            .libtorch = report.libtorch,
            .blas = report.blas,
            .threads = report.threads,
            .processor = report.processor,
            .devices = report.devices,
            .warnings = report.warnings};
}

} // namespace headscope

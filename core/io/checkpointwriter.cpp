#include "core/io/checkpointwriter.h"

#include "core/formats/atomicfile.h"
#include "core/formats/safetensors.h"
#include "core/io/torchdtype.h"

#include <fmt/format.h>
#include <torch/types.h>

#include <set>

namespace headscope {

Result<Done> writeSafetensors(const std::filesystem::path &path,
                              const std::vector<std::pair<std::string, torch::Tensor>> &tensors,
                              std::map<std::string, std::string> metadata)
{
    std::vector<TensorEntry> entries;
    std::set<std::string> names;
    for (const auto &[name, tensor] : tensors) {
        const auto dtype = fileDtype(tensor.scalar_type());
        if (!dtype)
            return badInput(
                fmt::format("cannot write {}: tensor \"{}\" has a dtype that safetensors lacks", path.string(), name));
        if (!names.insert(name).second || name == "__metadata__")
            return badInput(fmt::format("cannot write {}: the name \"{}\" is taken", path.string(), name));
        TensorEntry entry;
        entry.name = name;
        entry.dtype = *dtype;
        entry.shape = tensor.sizes().vec();
        entries.push_back(std::move(entry));
    }
    metadata.try_emplace("format", "pt");
    const SafetensorsLayout layout = layoutSafetensors(entries, metadata);
    return writeFileAtomically(path, [&](const ByteSink &sink) -> Result<Done> {
        auto written = sink(layout.header);
        for (std::size_t i = 0; i < layout.order.size() && written.isOk(); ++i) {
            const torch::Tensor tensor = tensors[layout.order[i]].second.detach().cpu().contiguous();
            written = sink({static_cast<const char *>(tensor.data_ptr()), static_cast<std::size_t>(tensor.nbytes())});
        }
        return written;
    });
}

} // namespace headscope

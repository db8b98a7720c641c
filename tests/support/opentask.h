#pragma once

#include "core/data/dataset.h"
#include "core/model/loadmodel.h"
#include "core/task/tasks.h"
#include "core/task/textwindows.h"
#include "core/tokenize/tokenizer.h"

#include <filesystem>
#include <memory>
#include <utility>

namespace headscope::testing {

/// A model folder with a data set in f32, as a session opens them. Throws Failure.
inline std::shared_ptr<const Task> openTask(const std::filesystem::path &folder, const DataSource &source,
                                            const Execution &execution = Execution())
{
    const LoadedModel model = loadModel(folder, torch::TensorOptions(torch::kFloat32), {}).valueOrThrow();
    std::shared_ptr<const Tokenizer> tokenizer = openTokenizer(folder, model.config).valueOrThrow();
    Dataset dataset = readDataset(source, {}).valueOrThrow();
    const TransformerSpec &spec = model.transformer->spec();
    if (!spec.encoder)
        dataset = inWindows(std::move(dataset), spec, tokenizer.get(), {}).valueOrThrow();
    return makeTask({model.transformer, tokenizer, execution}, dataset, {}).valueOrThrow();
}

} // namespace headscope::testing

#include "core/task/tasks.h"

#include <algorithm>
#include <array>

namespace headscope {

const TaskKind &taskKind(const TransformerSpec &spec)
{
    static const std::array kinds{&kTranslation, &kClassification, &kLanguageModelling, &kMaskFilling, &kEncoding};
    return **std::ranges::find_if(kinds, [&](const TaskKind *kind) { return kind->suits(spec); });
}

Result<std::shared_ptr<const Task>> makeTask(OpenModel model, const Dataset &dataset, const JobControl &control)
{
    const TaskKind &kind = taskKind(model.transformer->spec());
    const bool asks = std::ranges::any_of(dataset.examples, [](const Example &one) { return !one.choices.empty(); });
    if (asks && &kind != &kLanguageModelling)
        return usageError(
            dataset.name + " has questions with choices, which causal language models are asked; this model does "
            + kind.name + ". Name the column of the texts (--text-column) to read it as a table of these.");
    auto parts = kind.make(model, dataset, control);
    if (!parts.isOk())
        return parts.error();
    return std::make_shared<const Task>(kind.name, std::move(model.transformer), std::move(parts).value(),
                                        std::move(model.execution), std::move(model.copies));
}

} // namespace headscope

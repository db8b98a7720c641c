#include "core/task/exampleids.h"

namespace headscope {

Result<Done> checkIds(const std::vector<std::int64_t> &ids, std::int64_t vocabulary, const Dataset &dataset,
                      std::size_t row)
{
    for (std::int64_t id : ids) {
        if (id < 0 || id >= vocabulary)
            return badInput(dataset.name + ", example " + std::to_string(row + 1) + ": token id " + std::to_string(id)
                            + " is outside the model's vocabulary of " + std::to_string(vocabulary)
                            + ". Do the data belong to this model?");
    }
    return Done{};
}

Error tokenizerMissing()
{
    return badInput("The model folder has no tokenizer, so every example must bring input_ids (.jsonl with "
                    "\"input_ids\" and \"labels\").");
}

std::string cutNote(const Dataset &dataset, std::int64_t count, const char *what, std::int64_t positions)
{
    return dataset.name + ": " + std::to_string(count) + " of " + std::to_string(dataset.examples.size()) + " " + what
         + " cut to the model's " + std::to_string(positions) + " positions.";
}

} // namespace headscope

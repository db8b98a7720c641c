#include "core/session/sweeps.h"

#include "core/engine/sweepjournal.h"

namespace headscope {

Result<Done> joinSweeps(const std::vector<std::filesystem::path> &shards, const std::filesystem::path &joined)
{
    return SweepJournal::join(shards, joined);
}

} // namespace headscope

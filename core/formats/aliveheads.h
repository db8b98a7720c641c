#pragma once

#include "core/base/headref.h"
#include "core/base/result.h"

#include <nlohmann/json_fwd.hpp>

#include <filesystem>

namespace headscope {

/// The file that runs with gates write into the folder of every epoch.
inline constexpr const char *kAliveHeadsFile = "alive_heads.json";

/// Which heads of a model are open, as the code of Voita et al. (2019) takes it ("alive_heads"): {"enc-self": [[1, 0,
/// …], …], "dec-enc": …, "dec-self": …}, a row for each layer, a number for each head of the unpruned model, 1 = open.
nlohmann::ordered_json aliveHeads(const HeadMask &closed, const HeadLayout &layout);

/// The closed heads of such matrices, bare or under "alive_heads". Kinds of attention that are not named are open;
/// heads that the model lost before may be 0. Errors name the kind and layer: what the model lacks, rows that are
/// missing or too short.
Result<HeadMask> readAliveHeads(const std::filesystem::path &file, const HeadLayout &layout);

} // namespace headscope

#pragma once

#include "core/exporting/reportfindings.h"
#include "core/exporting/reporttables.h"

#include <vector>

namespace headscope {

/// A report's part on roles (Voita et al. 2019): confidence, relevance and role of every head, the best head of
/// every relation (table 1 of the paper). For domains whose roles were computed.
std::vector<ReportTable> roleTables(const ReportDomain &domain);

/// The paper's claims on one data set: confident heads are the relevant ones; positional, syntactic and rare-word
/// heads exist. None where roles were not computed.
std::vector<Finding> roleFindings(const ReportDomain &domain);

} // namespace headscope

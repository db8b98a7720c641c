#pragma once

namespace headscope {

/// The decision of a classifier (Hugging Face's problem_type).
enum class ProblemType {
    SingleLabel, ///< one of several labels
    MultiLabel,  ///< any number of labels
    Regression,  ///< a number
};

} // namespace headscope

#pragma once

#include "core/base/jobcontrol.h"
#include "core/data/dataset.h"
#include "core/model/spec.h"
#include "core/tokenize/tokenizer.h"

namespace headscope {

/// The data set as a causal language model reads it: texts longer than its positions become one row for each window
/// (with the window's own text and ids), texts of which nothing can be predicted fall out, with a note. All others stay
/// as they are, and so do minimal pairs and pairs for patching. With WindowStart::Bos every window begins with the
/// model's first token. `tokenizer` may be null when every example brings its ids.
Result<Dataset> inWindows(Dataset dataset, const TransformerSpec &spec, const Tokenizer *tokenizer,
                          const JobControl &control);

} // namespace headscope

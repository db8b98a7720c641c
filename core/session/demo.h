#pragma once

#include "core/base/jobcontrol.h"
#include "core/train/trainingreport.h"

#include <filesystem>

namespace headscope {

/// The study that comes with the program: demo.headscope in the folder that HEADSCOPE_DEMO names, or in
/// ../share/headscope/demo beside the program, as it lies in the build folder too. Error: neither has it.
Result<std::filesystem::path> demoStudy();

/// Makes that study anew in `folder`, which must be empty or not there: the corpus (core/demo), a model trained on it
/// with all its epochs, and every result that the window shows. The corpus is the same byte for byte every time.
///   demo.headscope, demo.headscope.results/   the study
///   corpus/                                   test sets, gold trees, word frequencies
///   training/                                 the run: train.json, training.jsonl, epoch-001 … in f16
Result<Done> makeDemo(const std::filesystem::path &folder, const JobControl &control,
                      const Publish<TrainingReport> &publish = {});

} // namespace headscope

#pragma once

#include "core/base/headref.h"
#include "core/base/jobcontrol.h"
#include "core/model/transformer.h"
#include "core/task/rowmodels.h"
#include "core/tensor/execution.h"

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace headscope {

/// A text as a language model reads it, up to the token that is asked for.
struct AskedPrompt
{
    std::vector<std::int64_t> ids{}; ///< at least one
    std::int64_t answer = 0;         ///< the token that should follow
};

/// The token that a model says behind a prompt.
struct SaidToken
{
    double probability = 0; ///< of the answer
    bool isRight = false;   ///< the answer is the likeliest token
};

/// Another context for one head at the last position of a prompt.
struct ContextChange
{
    std::int64_t prompt = 0;
    HeadRef head{};
    std::int64_t row = 0; ///< of the contexts of the head's layer
};

/// A vector that is added to the residual stream at the last position of a prompt, behind a layer.
struct StreamChange
{
    std::int64_t prompt = 0;
    int layer = 0;
    std::int64_t row = 0; ///< of the vectors
};

/// Runs of prompts by a decoder without encoder in which only the last position is changed, which no other one sees:
/// changed runs compute that position alone, from the place of the change on, and read keys and values of all others
/// from the run that changed nothing. Contexts are side by side, A = H·Dh columns of a layer. Threads may share it.
class LastTokenRuns
{
public:
    enum class Keep { Answers, Contexts, States }; ///< Each keeps what those before it do

    virtual ~LastTokenRuns() = default;

    /// Answers to the prompts as they are.
    virtual const std::vector<SaidToken> &said() const = 0;
    /// Contexts of an attention at the last positions [prompts, A], in double on the processor. Precondition:
    /// Keep::Contexts.
    virtual torch::Tensor contexts(HeadKind kind, int layer) const = 0;

    /// `contexts`: by layer [rows, A]. `done` hears how many more are done, from any thread. Precondition, here and
    /// below: Keep::States.
    using Done = std::function<void(std::int64_t)>;
    virtual std::vector<SaidToken> withContexts(std::span<const ContextChange> changes,
                                                const std::vector<torch::Tensor> &contexts, const Done &done) const = 0;
    /// `vectors` [rows, D].
    virtual std::vector<SaidToken> withVectors(std::span<const StreamChange> changes, const torch::Tensor &vectors,
                                               const Done &done) const = 0;
};

/// The run of `prompts` without the heads of `masked`; changes are made to the full model. Borrows all but the prompts.
std::unique_ptr<LastTokenRuns> lastTokenRuns(const RowModel &model, const Execution &execution,
                                             std::vector<AskedPrompt> prompts, const HeadMask &masked,
                                             LastTokenRuns::Keep keep, const JobControl &control);
/// The same by whole runs in padded batches: what the above must equal.
std::unique_ptr<LastTokenRuns> plainLastTokenRuns(const Transformer &model, const Execution &execution,
                                                  std::vector<AskedPrompt> prompts, const HeadMask &masked,
                                                  LastTokenRuns::Keep keep, const JobControl &control);

/// The bytes that the states of a prompt of so many tokens take.
std::int64_t bytesOfStates(const TransformerSpec &spec, std::int64_t tokens);

} // namespace headscope

#pragma once

#include "core/model/positions.h"
#include "core/relevance/rule.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace headscope {

/// Activations of a recorded forward pass, and where they are on the tape. Constants are not on it: nothing is traced
/// back to them.
struct Taped
{
    torch::Tensor x{};
    int id = -1;

    bool isConstant() const { return id < 0; }
};

/// The operations of a forward pass over one sentence, in the order in which they were done, and the way back along
/// them: each hands the message about what it made on to what it read, by the rule's function. Nothing here knows of
/// layers.
///
/// Letters as in rule.h. Keeps references to the rule and the control, which must outlive it.
class Tape
{
public:
    Tape(const PropagationRule &rule, const JobControl &control) : m_rule(rule), m_control(control) { }

    /// The activations that the pass begins with.
    Taped leaf(torch::Tensor x);
    Taped linear(const Taped &x, const Linear &weights);
    Taped norm(const Taped &x, const Norm &weights, const NormSpec &spec);
    Taped activation(const Taped &x, Activation which);
    Taped product(const Taped &a, const Taped &b);
    /// A constant summand, which may be undefined, has no part in the relevance of the sum.
    Taped sum(const Taped &a, const Taped &b);
    /// The first of positions [T, D] alone: [1, D].
    Taped position(const Taped &x, std::int64_t place);
    /// So many heads of a width.
    struct HeadColumns
    {
        std::int64_t count = 0;
        std::int64_t width = 0;
    };
    /// Columns [T, ΣH·Dh] taken apart, [H, T, Dh] for each of `parts`. All parts must be used.
    std::vector<Taped> heads(const Taped &x, const std::vector<HeadColumns> &parts);
    /// Heads [H, T, Dh] side by side again, [T, H·Dh].
    Taped columns(const Taped &heads);
    /// Heads at `places`, repeated as listed: what several heads share receives the messages of all of them.
    Taped repeated(const Taped &heads, const std::vector<std::int64_t> &places);
    /// Every head [T, Dh] of [H, T, Dh] by itself.
    Taped headNorm(const Taped &heads, const Norm &weights, const HeadNorm &how);
    /// Within ±most; 0: as it is.
    Taped clipped(const Taped &x, double most) { return most > 0 ? clipped(x, -most, most) : x; }
    Taped clipped(const Taped &x, double least, double most);
    /// x times a factor that counts as constant and broadcasts to it.
    Taped scaled(const Taped &x, const torch::Tensor &factor);
    /// Some rows of [T, D], each as often as `rows` names it.
    Taped rows(const Taped &x, const torch::Tensor &rows);
    /// Rows of all parts [n_i, D], one part after the other, in the order `from`, which names each of them once.
    Taped arranged(const std::vector<Taped> &parts, const torch::Tensor &from);
    Taped rotation(const Taped &heads, const RotaryAngles &angles);
    /// The factor of scores, and the cap behind it (AttentionSpec::scoreCap).
    struct Scores
    {
        double scale = 1;
        double cap = 0;
    };
    /// Contexts [H, T, Dh] of queries [H, T, Dh] over keys and values [H, S, Dh]. `bias` is added to the scores
    /// [H, T, S]; `sinks` [H] take part in the softmax; undefined = none.
    Taped attention(const Taped &query, const Taped &key, const Taped &value, const Scores &how,
                    const torch::Tensor &bias, const torch::Tensor &sinks = {});

    /// The size of the largest activations: how many numbers a trace needs in a message.
    std::int64_t largest() const { return m_largest; }

    /// Called with the complete message about activations.
    using Listener = std::function<void(int id, const torch::Tensor &message)>;
    /// From a message about `from` to all that it came from. Messages that meet add up.
    void goBack(const Taped &from, torch::Tensor message, const Listener &listener) const;

private:
    using Messages = std::vector<torch::Tensor>;
    /// Messages about what was made → about what was read.
    using Back = std::function<Messages(const Messages &)>;
    struct Step
    {
        int first = 0; ///< of what it made
        int count = 0;
        std::vector<int> read;
        Back back;
    };
    std::vector<Taped> record(const std::vector<torch::Tensor> &made, std::vector<int> read, Back back);
    template<typename Function>
    Taped recordOne(const torch::Tensor &made, std::vector<int> read, Function &&back);
    Messages takeMessages(const Step &step, Messages &all, const Listener &listener) const;

    const PropagationRule &m_rule;
    const JobControl &m_control;
    std::vector<Step> m_steps;
    int m_count = 0; ///< activations so far
    std::int64_t m_largest = 0;
};

} // namespace headscope

#include "core/task/editedruns.h"

#include <utility>

namespace headscope {
namespace {

class EditedExecutor : public PaddedExecutor
{
public:
    EditedExecutor(const Transformer &model, Side side, const WalkInputs &around, const StackState &state,
                   const EditPart &edit, const JobControl &control)
        : PaddedExecutor(
            model, side, around, state.scoreBias,
            torch::arange(state.hidden.size(1), torch::TensorOptions(torch::kInt64).device(model.device()))),
          m_side(side), m_edit(edit), m_control(control)
    {
        onPart = [this](int place, WalkPart part, torch::Tensor &value) { m_edit(m_side, place, part, value); };
    }

    void arrive(int place, const torch::Tensor &hidden) const
    {
        m_control.checkpoint();
        PaddedExecutor::arrive(place, hidden);
    }
    torch::Tensor gate(int place, const AttentionSpec &attention, torch::Tensor context) const
    {
        if (context.defined())
            m_edit(m_side, place, WalkPart::Context, context);
        return PaddedExecutor::gate(place, attention, context);
    }
    torch::Tensor feedForward(int place, const FeedForwardSpec &spec, const torch::Tensor &x) const
    {
        auto output = PaddedExecutor::feedForward(place, spec, x);
        m_edit(m_side, place, WalkPart::FeedForward, output);
        return output;
    }

private:
    Side m_side;
    const EditPart &m_edit;
    const JobControl &m_control;
};

} // namespace

torch::Tensor readOfEditedPairs(const Transformer &model, const PatchingPairs &all,
                                const std::vector<std::int64_t> &pairs, bool isClean, const HeadGates &gates,
                                const EditPart &edit, const JobControl &control)
{
    const PairBatches batches = pairBatches(model, all, pairs, isClean);
    const auto run = [&](Side side, const TokenBatch &tokens, const CrossKeys &cross) {
        StackState state = model.begin(side, tokens);
        const WalkInputs around{gates, &cross};
        EditedExecutor executor(model, side, around, state, edit, control);
        walk(model.spec(), side, state, model.spec().stack(side)->places(), executor);
        return state;
    };
    CrossKeys cross;
    StackState state;
    if (model.spec().encoder)
        state = run(Side::Encoder, batches.source, cross);
    if (model.spec().isEncoderDecoder())
        cross = model.crossKeys(model.finishEncoder(state));
    if (model.spec().decoder)
        state = run(Side::Decoder, batches.prefix, cross);
    return readOfHidden(model, all, pairs, batches, model.finish(state));
}

} // namespace headscope

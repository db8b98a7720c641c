#include "core/model/spec.h"

namespace headscope {

HeadLayout TransformerSpec::layout() const
{
    std::vector<HeadLayout::Block> blocks{{HeadKind::Encoder, encoder.heads}};
    if (decoder) {
        blocks.push_back({HeadKind::Decoder, decoder->heads});
        if (decoder->cross)
            blocks.push_back({HeadKind::Cross, decoder->crossHeads});
    }
    return HeadLayout(std::move(blocks));
}

} // namespace headscope

#pragma once

#include "core/base/headref.h"
#include "core/session/session.h"

#include <optional>
#include <string>
#include <vector>

namespace headscope {

/// Throws Failure if the model has no head for `analysis` to measure.
inline void requireHeads(const ModelCard &model, const std::string &analysis)
{
    if (model.layout.size() == 0)
        throw Failure(badInput(model.folder.string()
                               + ": the model has no attention heads left, so there is nothing "
                                 "for "
                               + analysis + " to look at; evaluate and predict work"));
}

/// Throws Failure (usage) for a head that the model does not have. `option`: where the mask was given.
inline void requireKnownHeads(const HeadMask &mask, const HeadLayout &layout, const std::string &option)
{
    for (const HeadRef &head : mask) {
        if (!layout.contains(head))
            throw Failure(
                usageError(option + ": the model has no head " + toText(head) + "; `inspect` lists its heads."));
    }
}

/// The visitor of specoptions.h that checks the masks of an analysis.
class KnownHeads
{
public:
    explicit KnownHeads(const HeadLayout &layout) : m_layout(layout) { }

    void mask(const char *name, const HeadMask &value) { requireKnownHeads(value, m_layout, std::string("--") + name); }
    void mask(const char *name, const std::optional<HeadMask> &value)
    {
        if (value)
            mask(name, *value);
    }
    void flag(const char *, bool, const char *) { }
    template<typename T, typename Bound>
    void integer(const char *, const T &, Bound, const char *)
    {
    }
    template<typename T, typename Bound>
    void real(const char *, const T &, const Bound &, const char *)
    {
    }
    template<typename T>
    void bytes(const char *, const T &, const char *)
    {
    }
    void text(const char *, const std::string &, const char *, const char *) { }
    template<typename E>
    void choice(const char *, E, const char *)
    {
    }
    template<typename T, typename Bound>
    void integers(const char *, const std::vector<T> &, Bound, const char *)
    {
    }
    template<typename E>
    void choices(const char *, const std::vector<E> &, const char *)
    {
    }

private:
    const HeadLayout &m_layout;
};

/// The same for all masks among the options of an analysis.
template<typename Spec>
void requireKnownHeads(Spec spec, const HeadLayout &layout)
{
    KnownHeads check(layout);
    describe(check, spec);
}

} // namespace headscope

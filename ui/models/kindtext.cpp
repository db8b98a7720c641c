#include "ui/models/kindtext.h"

#include <QCoreApplication>

#include <array>

namespace headscope {

namespace {

/// The four names of a kind; whole phrases, because languages join them differently.
struct KindNames
{
    const char *title;
    const char *shortTitle;
    const char *longName;
    const char *label;
};

constexpr std::array<KindNames, 3> kNames{{
    {QT_TRANSLATE_NOOP("headscope::HeadKind", "Encoder self-attention"),
     QT_TRANSLATE_NOOP("headscope::HeadKind", "Encoder"),
     QT_TRANSLATE_NOOP("headscope::HeadKind", "encoder self-attention"),
     QT_TRANSLATE_NOOP("headscope::HeadKind", "encoder")},
    {QT_TRANSLATE_NOOP("headscope::HeadKind", "Cross-attention"), QT_TRANSLATE_NOOP("headscope::HeadKind", "Cross"),
     QT_TRANSLATE_NOOP("headscope::HeadKind", "cross-attention"), QT_TRANSLATE_NOOP("headscope::HeadKind", "cross")},
    {QT_TRANSLATE_NOOP("headscope::HeadKind", "Decoder self-attention"),
     QT_TRANSLATE_NOOP("headscope::HeadKind", "Decoder"),
     QT_TRANSLATE_NOOP("headscope::HeadKind", "decoder self-attention"),
     QT_TRANSLATE_NOOP("headscope::HeadKind", "decoder")},
}};

QString nameOf(HeadKind kind, const char *KindNames::*form)
{
    static_assert(static_cast<int>(HeadKind::Encoder) == 0 && static_cast<int>(HeadKind::Cross) == 1
                  && static_cast<int>(HeadKind::Decoder) == 2);
    return QCoreApplication::translate("headscope::HeadKind", kNames[static_cast<std::size_t>(kind)].*form);
}

} // namespace

QString headKindTitle(HeadKind kind)
{
    return nameOf(kind, &KindNames::title);
}

QString headKindShortTitle(HeadKind kind)
{
    return nameOf(kind, &KindNames::shortTitle);
}

QString headKindLongName(HeadKind kind)
{
    return nameOf(kind, &KindNames::longName);
}

QString headKindLabel(HeadKind kind)
{
    return nameOf(kind, &KindNames::label);
}

} // namespace headscope

#pragma once

#include <QString>

#include <array>

class QSettings;

namespace headscope {

/// Whether the user wants something folded: chosen apart for where there is much room and where there is little, in
/// which it is folded at first.
class FoldChoice
{
public:
    bool isFolded() const { return m_folded[m_narrow ? 1 : 0]; }
    void setFolded(bool folded) { m_folded[m_narrow ? 1 : 0] = folded; }
    bool isNarrow() const { return m_narrow; }
    void setNarrow(bool narrow) { m_narrow = narrow; }
    /// Back to what it is at first.
    void forget() { m_folded = kAtFirst; }
    /// `name`: of what folds.
    void restore(const QSettings &settings, const QString &name);
    void save(QSettings &settings, const QString &name) const;

private:
    static constexpr std::array<bool, 2> kAtFirst{false, true}; ///< with much room, with little

    std::array<bool, 2> m_folded = kAtFirst;
    bool m_narrow = false;
};

} // namespace headscope

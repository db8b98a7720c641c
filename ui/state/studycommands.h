#pragma once

#include "core/base/headref.h"
#include "core/results/roles.h"

#include <QString>
#include <QUndoCommand>

#include <set>

namespace headscope {

class StudyState;

/// Replaces the mask. Commands of the same drag (> 0) merge: a slider's way is one step.
class SetMaskCommand final : public QUndoCommand
{
public:
    SetMaskCommand(StudyState &state, HeadMask mask, const QString &text, int drag = 0);

    int id() const override { return 1; }
    bool mergeWith(const QUndoCommand *other) override;
    void undo() override;
    void redo() override;

private:
    StudyState &m_state;
    HeadMask m_before;
    HeadMask m_after;
    int m_drag;
};

/// Marks other heads.
class SetPinsCommand final : public QUndoCommand
{
public:
    SetPinsCommand(StudyState &state, std::set<HeadRef> pins, const QString &text);

    void undo() override;
    void redo() override;

private:
    StudyState &m_state;
    std::set<HeadRef> m_before;
    std::set<HeadRef> m_after;
};

/// Judges heads by another metric.
class SetMetricCommand final : public QUndoCommand
{
public:
    SetMetricCommand(StudyState &state, QString metric, const QString &text);

    void undo() override;
    void redo() override;

private:
    StudyState &m_state;
    QString m_before;
    QString m_after;
};

/// Labels heads by other thresholds. Commands of the same drag merge, as those of masks.
class SetRoleThresholdsCommand final : public QUndoCommand
{
public:
    SetRoleThresholdsCommand(StudyState &state, RoleThresholds thresholds, const QString &text, int drag);

    int id() const override { return 2; }
    bool mergeWith(const QUndoCommand *other) override;
    void undo() override;
    void redo() override;

private:
    StudyState &m_state;
    RoleThresholds m_before;
    RoleThresholds m_after;
    int m_drag;
};

} // namespace headscope

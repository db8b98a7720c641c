#pragma once

#include "core/analysis/workload.h"
#include "ui/state/pace.h"
#include "ui/state/worklist.h"

#include <QObject>
#include <QString>

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace headscope {

/// Something that can be done about work that takes long.
struct WorkWay
{
    QString text;
    std::function<void()> take;
};

/// How long work takes, before it begins and while it runs, and what takes less time. Lives on the GUI thread.
class WorkTimes final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(WorkTimes)
public:
    /// `setBeams`: makes all outputs with so many beams from now on.
    WorkTimes(StudyContext &context, WorkList &works, std::function<void(std::optional<int>)> setBeams,
              QObject *parent = nullptr);

    /// Seconds that what is missing of all of them takes, by what has been measured of this model and these data.
    /// Nothing: something that scores masks has not been measured (measurePace()), or nothing has. Other analyses that
    /// have not been measured count nothing.
    std::optional<double> secondsOf(const std::vector<WorkRequest> &requests) const;
    /// Measures, on a few examples, what secondsOf() needs to know for these and nothing here has shown yet. Nobody
    /// sees the results.
    void measurePace(const std::vector<WorkRequest> &requests);
    /// Whether that is still to come.
    bool isMeasuringPace() const;
    void forgetPace();

    /// What can be done about work that takes more than the user's patience, with the time that each way takes where
    /// that has been measured: all of it, fewer examples, importance alone, greedy outputs, values that are there.
    /// Empty where it does not take long.
    std::vector<WorkWay> ways(const std::vector<WorkRequest> &requests);
    std::vector<WorkWay> ways(const Work &work);
    /// Greedy outputs, where the model has beams, or its own beams where outputs are greedy; then `start`, if there is
    /// such. `isLong`: whether that is of use.
    std::vector<WorkWay> waysOfBeams(bool isLong, const std::function<void()> &start = {});

private:
    using Request = WorkRequest;
    using Way = WorkWay;

    std::optional<double> secondsOf(const Request &request) const;
    std::vector<Workload> workloadsOf(const Request &request) const;
    std::vector<Request> withPresentOptions(std::vector<Request> requests) const;
    void startPilot(Domain domain, const Workload &work);
    void learn(Domain domain, const AnyResult &result, const QString &tag);
    void learnPace(qint64 id);
    double wordsOf(Domain domain) const;

    StudyContext &m_context;
    WorkList &m_works;
    std::function<void(std::optional<int>)> m_setBeams;
    Pace m_pace;
    std::set<std::pair<MaskCost, bool>> m_pilots; ///< costs for which one was started
};

} // namespace headscope

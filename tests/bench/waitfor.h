#pragma once

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QEventLoop>

#include <functional>

namespace headscope {

/// Goes through events until `ready`, for `most` milliseconds at most.
inline void waitFor(const std::function<bool()> &ready, int most)
{
    QElapsedTimer timer;
    timer.start();
    while (!ready() && timer.elapsed() < most)
        QCoreApplication::processEvents(QEventLoop::AllEvents, 20);
}

} // namespace headscope

// Messages in frames: whole, in pieces, and what strangers send instead.
#include "core/base/random.h"
#include "core/base/result.h"
#include "core/remote/channel.h"
#include "core/remote/frames.h"

#include <QTest>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <thread>

using namespace headscope;

class TestFrames : public QObject
{
    Q_OBJECT

    /// A reader of these bytes that come `step` at a time.
    static FrameReader readerOf(std::string bytes, std::size_t step, std::size_t most = 1000)
    {
        return FrameReader(
            [bytes = std::move(bytes), step, at = std::size_t(0)](std::span<char> into) mutable {
                const std::size_t count = std::min({step, into.size(), bytes.size() - at});
                std::memcpy(into.data(), bytes.data() + at, count);
                at += count;
                return count;
            },
            most);
    }

    /// What is wrong with the first frame; empty: nothing.
    static std::string refusal(const std::string &bytes)
    {
        FrameReader reader = readerOf(bytes, 7);
        try {
            (void)reader.next();
        } catch (const Failure &failure) {
            return failure.error().message;
        }
        return {};
    }

private Q_SLOTS:
    void arriveInAnyPieces()
    {
        const nlohmann::json message = {{"text", "Größe\n{}\r\n\r\n"}, {"number", 0.1}};
        const std::string numbers("\0\1\r\n\r\nContent-Length: 3", 23);
        for (const std::size_t step : {1, 2, 5, 64, 10000}) {
            FrameReader reader = readerOf(framed(message) + framedBinary(numbers) + framed(message), step);
            const auto first = reader.next();
            QVERIFY(first && !first->binary);
            QVERIFY(nlohmann::json::parse(first->bytes) == message);
            const auto second = reader.next();
            QVERIFY(second && second->binary);
            QCOMPARE(second->bytes, numbers);
            QVERIFY(nlohmann::json::parse(reader.next()->bytes) == message);
            QVERIFY(!reader.next());
        }
    }

    void endInTheMiddleIsAnEnd()
    {
        const std::string whole = framed({{"a", 1}});
        for (std::size_t length = 0; length < whole.size(); ++length) {
            FrameReader reader = readerOf(whole.substr(0, length), 3);
            QVERIFY(!reader.next());
        }
    }

    void whatIsNoFrameIsRefused()
    {
        QVERIFY(refusal("GET / HTTP/1.1\r\n\r\n").find("GET / HTTP/1.1") != std::string::npos);
        QVERIFY(refusal("Content-Length: -1\r\n\r\n").find("no length") != std::string::npos);
        QVERIFY(refusal("Content-Length: 12x\r\n\r\n").find("no length") != std::string::npos);
        QVERIFY(refusal("Content-Length: 99999999999999999999999\r\n\r\n").find("no length") != std::string::npos);
        QVERIFY(refusal("Content-Length: 1001\r\n\r\n").find("at most 1000") != std::string::npos);
        QVERIFY(refusal("Content-Type: text\r\n\r\nabc").find("without Content-Length") != std::string::npos);
        QVERIFY(refusal(std::string(5000, 'a')).find("begins with") != std::string::npos);
        QVERIFY(refusal("\x1b[31mred\r\n\r\n").find('\x1b') == std::string::npos); // nothing that a terminal obeys
    }

    void textThatIsNotUtf8CanBeSent()
    {
        FrameReader reader = readerOf(framed({{"text", "\xff\xfe"}}), 100);
        QCOMPARE(nlohmann::json::parse(reader.next()->bytes)["text"].get<std::string>(),
                 std::string("\xef\xbf\xbd\xef\xbf\xbd"));
    }

    /// Frames with bytes changed, taken out and put in: a frame, an end or a reason, and never more memory than the
    /// limit allows.
    void damagedFrames()
    {
        Random random(7);
        const std::string whole
            = framed({{"jsonrpc", "2.0"}, {"id", 1}, {"method", "initialize"}}) + framedBinary("1234");
        for (int round = 0; round < 20000; ++round) {
            std::string bytes = whole;
            for (int change = 0; change < 3; ++change) {
                const std::size_t at = random.below(static_cast<std::uint32_t>(bytes.size()));
                switch (random.below(3)) {
                case 0:
                    bytes[at] = static_cast<char>(random.below(256));
                    break;
                case 1:
                    bytes.erase(at, 1 + random.below(4));
                    break;
                default:
                    bytes.insert(at, 1, static_cast<char>(random.below(256)));
                    break;
                }
            }
            FrameReader reader = readerOf(bytes, 1 + random.below(100));
            try {
                while (auto frame = reader.next())
                    QVERIFY(frame->bytes.size() <= 1000);
            } catch (const Failure &failure) {
                QVERIFY(!failure.error().message.empty());
            }
        }
    }

    /// Whoever reads nothing does not keep the other side for ever, nor anybody who waits to write as well.
    void aSideThatTakesNothingIsGone()
    {
        Pipe unread;
        Pipe unwritten;
        Channel channel(unwritten.readEnd(), unread.writeEnd(), std::chrono::milliseconds(200));
        const std::string much(std::size_t(1) << 20, 'x');
        std::atomic<int> failed = 0;
        const auto write = [&] { failed += channel.write(much) ? 0 : 1; };
        std::thread other(write);
        write();
        other.join();
        QCOMPARE(failed.load(), 2);
        std::array<char, 8> bytes{};
        QCOMPARE(channel.read(bytes), std::size_t(0)); // the channel is closed
    }
};

QTEST_GUILESS_MAIN(TestFrames)
#include "tst_frames.moc"

#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

namespace headscope {

/// The kind of an error; the command line turns it into its exit code.
enum class ErrorCode {
    Internal, ///< a bug: one of our own invariants was violated
    Usage,    ///< options that do not fit together
    BadInput, ///< a file, a folder or text that is not what was expected
    Resource, ///< no memory, no disk space, no permission, no such device
};

/// An error says what failed, on what (file, tensor, expected against found), and what to do. One sentence or two.
struct Error
{
    ErrorCode code = ErrorCode::Internal;
    std::string message;
};

inline Error badInput(std::string message)
{
    return {ErrorCode::BadInput, std::move(message)};
}
inline Error usageError(std::string message)
{
    return {ErrorCode::Usage, std::move(message)};
}
inline Error resourceError(std::string message)
{
    return {ErrorCode::Resource, std::move(message)};
}

/// Errors in torch code are thrown as exceptions (as LibTorch's own are) up to the session's interface, where guarded()
/// turns them into a Result. Parsers and everything without torch return Result.
class Failure : public std::runtime_error
{
public:
    explicit Failure(Error error) : std::runtime_error(error.message), m_error(std::move(error)) { }
    const Error &error() const { return m_error; }

private:
    Error m_error;
};

[[noreturn]] inline void failOnInput(std::string message)
{
    throw Failure(badInput(std::move(message)));
}

/// Thrown by JobControl::checkpoint() when the user cancelled. Cancelled is not failed.
class Cancelled : public std::exception
{
public:
    const char *what() const noexcept override { return "cancelled"; }
};

/// A value, an error, or "cancelled". Does not convert to bool: Result<bool> would be ambiguous.
template<typename T>
class [[nodiscard]] Result
{
public:
    Result(T value) : m_state(std::in_place_index<0>, std::move(value)) { }
    Result(Error error) : m_state(std::in_place_index<1>, std::move(error)) { }
    static Result cancelled() { return Result(CancelledTag{}); }

    bool isOk() const { return m_state.index() == 0; }
    bool isError() const { return m_state.index() == 1; }
    bool isCancelled() const { return m_state.index() == 2; }
    explicit operator bool() const = delete;

    const T &value() const & { return std::get<0>(m_state); }
    T &value() & { return std::get<0>(m_state); }
    T &&value() && { return std::get<0>(std::move(m_state)); }
    const Error &error() const { return std::get<1>(m_state); }

    /// The value; throws Failure or Cancelled otherwise. For code below the session's interface.
    T valueOrThrow() &&
    {
        if (isError())
            throw Failure(error());
        if (isCancelled())
            throw Cancelled();
        return std::get<0>(std::move(m_state));
    }

private:
    struct CancelledTag
    {
    };
    explicit Result(CancelledTag tag) : m_state(std::in_place_index<2>, tag) { }
    std::variant<T, Error, CancelledTag> m_state;
};

/// The value of operations that return nothing: Result<Done>.
struct Done
{
};

} // namespace headscope

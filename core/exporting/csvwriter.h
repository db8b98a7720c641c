#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace headscope {

/// Builds a comma-separated table: RFC 4180 quoting, lines ending in '\n', numbers in the C locale with as many
/// digits as read back equal. Texts that a spreadsheet would run as a formula (= + - @ in front) get an apostrophe.
class CsvWriter
{
public:
    CsvWriter &operator<<(std::string_view text);
    CsvWriter &operator<<(const std::string &field) { return *this << std::string_view(field); }
    CsvWriter &operator<<(const char *field) { return *this << std::string_view(field); }
    CsvWriter &operator<<(double value); ///< NaN: an empty field
    CsvWriter &operator<<(float value);  ///< as many digits as read back equal in single precision
    CsvWriter &operator<<(std::int64_t value);
    CsvWriter &operator<<(int value) { return *this << static_cast<std::int64_t>(value); }
    void endLine();
    /// The first line. `last`: columns that not every table has; empty ones are left out.
    void header(std::initializer_list<std::string_view> columns, std::initializer_list<std::string_view> last = {});

    const std::string &text() const { return m_text; }

private:
    void separate();

    std::string m_text;
    bool m_first = true;
};

} // namespace headscope

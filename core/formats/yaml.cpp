#include "core/formats/yaml.h"

#include "core/base/parsednumber.h"
#include "core/formats/textlines.h"

#include <fmt/format.h>
#include <yaml.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace headscope {
namespace {

constexpr std::size_t kDeepestYaml = 50;

struct YamlEvent
{
    yaml_event_t event{};

    YamlEvent() = default;
    YamlEvent(const YamlEvent &) = delete;
    YamlEvent &operator=(const YamlEvent &) = delete;
    ~YamlEvent() { yaml_event_delete(&event); }
};

/// Whole numbers and decimal fractions; nothing for other texts.
std::optional<nlohmann::json> yamlNumber(std::string_view text)
{
    const std::string_view digits = text.substr(text.starts_with('+') ? 1 : 0);
    if (const auto whole = parsedNumber<std::int64_t>(digits))
        return nlohmann::json(*whole);
    const bool isDecimal = text.find_first_not_of("0123456789.eE+-") == std::string_view::npos
                        && text.find_first_of("0123456789") != std::string_view::npos;
    const auto number = isDecimal ? parsedNumber<double>(digits) : std::nullopt;
    return number ? std::optional(nlohmann::json(*number)) : std::nullopt;
}

nlohmann::json plainScalar(std::string_view text)
{
    if (text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL")
        return nullptr;
    if (text == "true" || text == "True" || text == "TRUE")
        return true;
    if (text == "false" || text == "False" || text == "FALSE")
        return false;
    if (auto number = yamlNumber(text))
        return std::move(*number);
    return std::string(text);
}

class YamlParser
{
public:
    YamlParser(std::string_view text, const std::string &name) : m_name(name)
    {
        m_ready = yaml_parser_initialize(&m_parser) == 1;
        if (m_ready) {
            yaml_parser_set_encoding(&m_parser, YAML_UTF8_ENCODING);
            yaml_parser_set_input_string(&m_parser, reinterpret_cast<const unsigned char *>(text.data()), text.size());
        }
    }
    YamlParser(const YamlParser &) = delete;
    YamlParser &operator=(const YamlParser &) = delete;
    ~YamlParser()
    {
        if (m_ready)
            yaml_parser_delete(&m_parser);
    }

    Result<nlohmann::json> read()
    {
        if (!m_ready)
            return resourceError("not enough memory to read " + m_name);
        nlohmann::json document;
        int documents = 0;
        while (true) {
            YamlEvent next;
            if (const auto parsed = parse(next); !parsed.isOk())
                return parsed.error();
            switch (next.event.type) {
            case YAML_STREAM_END_EVENT:
                return document;
            case YAML_DOCUMENT_START_EVENT:
                if (++documents > 1)
                    return wrong(next, "holds a second document");
                break;
            case YAML_STREAM_START_EVENT:
            case YAML_DOCUMENT_END_EVENT:
                break;
            default: {
                auto value = readValue(next, 0);
                if (!value.isOk())
                    return value;
                document = std::move(value).value();
            }
            }
        }
    }

private:
    Error wrong(const YamlEvent &at, const std::string &what) const
    {
        return badInput(fmt::format("{}, line {}: {}", m_name, at.event.start_mark.line + 1, what));
    }

    Result<Done> parse(YamlEvent &next)
    {
        if (yaml_parser_parse(&m_parser, &next.event) == 1)
            return Done{};
        if (m_parser.error == YAML_MEMORY_ERROR)
            return resourceError("not enough memory to read " + m_name);
        const bool isByte = m_parser.error == YAML_READER_ERROR;
        const std::string where = isByte ? fmt::format("at byte {}", m_parser.problem_offset)
                                         : fmt::format("line {}, column {}", m_parser.problem_mark.line + 1,
                                                       m_parser.problem_mark.column + 1);
        return badInput(
            fmt::format("{} is not YAML: {}, {}", m_name, m_parser.problem ? m_parser.problem : "damaged", where));
    }

    Result<nlohmann::json> readValue(const YamlEvent &first, std::size_t depth)
    {
        if (depth > kDeepestYaml)
            return wrong(first, fmt::format("more than {} levels", kDeepestYaml));
        switch (first.event.type) {
        case YAML_SCALAR_EVENT: {
            const std::string_view text = textOf(first);
            if (first.event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE)
                return plainScalar(text);
            return nlohmann::json(std::string(text));
        }
        case YAML_SEQUENCE_START_EVENT:
            return readSequence(depth);
        case YAML_MAPPING_START_EVENT:
            return readMapping(depth);
        case YAML_ALIAS_EVENT:
            return wrong(first, "aliases (*name) are not read");
        default:
            return wrong(first, "expected a value");
        }
    }

    Result<nlohmann::json> readSequence(std::size_t depth)
    {
        auto list = nlohmann::json::array();
        while (true) {
            YamlEvent next;
            if (const auto parsed = parse(next); !parsed.isOk())
                return parsed.error();
            if (next.event.type == YAML_SEQUENCE_END_EVENT)
                return list;
            auto value = readValue(next, depth + 1);
            if (!value.isOk())
                return value;
            list.push_back(std::move(value).value());
        }
    }

    Result<nlohmann::json> readMapping(std::size_t depth)
    {
        auto map = nlohmann::json::object();
        while (true) {
            YamlEvent key;
            if (const auto parsed = parse(key); !parsed.isOk())
                return parsed.error();
            if (key.event.type == YAML_MAPPING_END_EVENT)
                return map;
            if (key.event.type != YAML_SCALAR_EVENT)
                return wrong(key, "a key must be text");
            YamlEvent next;
            if (const auto parsed = parse(next); !parsed.isOk())
                return parsed.error();
            auto value = readValue(next, depth + 1);
            if (!value.isOk())
                return value;
            std::string name(textOf(key));
            if (!map.emplace(name, std::move(value).value()).second)
                return wrong(key, fmt::format("the key \"{}\" is there twice", name.substr(0, 100)));
        }
    }

    static std::string_view textOf(const YamlEvent &scalar)
    {
        const auto &data = scalar.event.data.scalar;
        return {reinterpret_cast<const char *>(data.value), data.length};
    }

    const std::string &m_name;
    yaml_parser_t m_parser{};
    bool m_ready = false;
};

} // namespace

Result<nlohmann::json> parseYaml(std::string_view text, const std::string &name)
{
    return YamlParser(text, name).read();
}

Result<nlohmann::json> readYamlFile(const std::filesystem::path &path, std::size_t largest)
{
    const auto bytes = readBytes(path, {}, static_cast<std::int64_t>(largest));
    if (!bytes.isOk())
        return bytes.error();
    return parseYaml(bytes.value(), path.string());
}

} // namespace headscope

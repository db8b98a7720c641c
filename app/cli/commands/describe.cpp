#include "app/cli/commands/commands.h"

#include "app/cli/output.h"
#include "core/analysis/analyses.h"
#include "core/analysis/analysisinfo.h"
#include "core/base/enumnames.h"
#include "core/base/ranges.h"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

/// The command describe: what can be computed and with which options, for programs that call Headscope.
namespace headscope::cli {

namespace {

/// The visitor of specoptions.h that lists options: name, type, help, and where there are such values, bounds and
/// default.
class OptionLister
{
public:
    template<typename Mask>
    void mask(const char *name, const Mask &)
    {
        add(name, "heads",
            name == std::string("against") ? "Heads of the mask to compare with; empty: the full model"
                                           : "Heads masked throughout");
    }
    void flag(const char *name, bool value, const char *help) { add(name, "flag", help)["default"] = value; }
    template<typename T>
    void integer(const char *name, const T &value, const IntegerRange &range, const char *help)
    {
        addNumber(name, "integer", value, range, help, range.most == std::numeric_limits<std::int64_t>::max());
    }
    template<typename T>
    void real(const char *name, const T &value, const Range &range, const char *help)
    {
        addNumber(name, "number", value, range, help, range.most == kLargestReal);
    }
    void bytes(const char *name, std::int64_t value, const char *help) { add(name, "bytes", help)["default"] = value; }
    void text(const char *name, const std::string &value, const char *type, const char *help)
    {
        Json &option = add(name, "text", help);
        option["form"] = type;
        if (!value.empty())
            option["default"] = value;
    }
    template<typename E>
    void choice(const char *name, E value, const char *help)
    {
        Json &option = add(name, "choice", help);
        option["values"] = EnumNames<E>::values;
        option["default"] = toText(value);
    }
    void integers(const char *name, const std::vector<std::int64_t> &values, const IntegerRange &range,
                  const char *help)
    {
        Json &option = add(name, "integers", help);
        option["least"] = range.least;
        option["default"] = values;
    }
    template<typename E>
    void choices(const char *name, const std::vector<E> &values, const char *help)
    {
        Json &option = add(name, "choices", help);
        option["values"] = EnumNames<E>::values;
        option["default"] = Json::array();
        for (const E value : values)
            option["default"].push_back(toText(value));
    }

    Json take() { return std::exchange(m_options, Json::array()); }

private:
    Json &add(const char *name, const char *type, const std::string &help)
    {
        m_options.push_back({{"name", name}, {"type", type}, {"help", help}});
        return m_options.back();
    }
    template<typename T, typename Bounds>
    void addNumber(const char *name, const char *type, const T &value, const Bounds &range, const char *help,
                   bool isOpen)
    {
        Json &option = add(name, type, help);
        option["least"] = range.least;
        if (!isOpen)
            option["most"] = range.most;
        if constexpr (std::is_arithmetic_v<T>) { // a value below the range stands for "not given"
            if (static_cast<double>(value) >= static_cast<double>(range.least))
                option["default"] = value;
        } else if (value) {
            option["default"] = *value;
        }
    }

    Json m_options = Json::array();
};

template<typename Spec>
Json listedOptions(Spec spec)
{
    OptionLister lister;
    describe(lister, spec);
    return lister.take();
}

template<SpecStruct Spec>
Json listedAnalysis()
{
    using Entry = AnalysisOf<Spec>;
    const AnalysisInfo &info = Entry::kInfo;
    Json entry{{"result", ResultOf<Spec>::kKind}, {"name", info.name},       {"has_command", info.hasCommand},
               {"needs_data", info.needsData},    {"summary", info.summary}, {"footer", info.footer},
               {"options", listedOptions(Spec{})}};
    if constexpr (requires { Entry::kSecond; })
        entry["second"] = {{"name", Entry::kSecond.option}, {"help", Entry::kSecond.help}};
    return entry;
}

void run(const OutputArguments &output, Context &context)
{
    context.setQuiet(output.quiet);
    checkWritable(output);
    Json analyses = Json::array();
    forEachAnalysis([&]<typename Spec>(const Spec &) { analyses.push_back(listedAnalysis<Spec>()); });
    const Json all{{"result", "describe"}, {"run", listedOptions(RunOptions{})}, {"analyses", std::move(analyses)}};
    writeText(output, jsonText(all) + "\n");
}

} // namespace

void addDescribeCommand(CLI::App &app, CommandFunction &chosen)
{
    auto output = std::make_shared<OutputArguments>();
    CLI::App *command
        = app.add_subcommand("describe", "List all analyses and their options as JSON, for programs that call them");
    addOutputOptions(*command, *output, false);
    command->footer(
        "The result: \"run\", the options of every analysis, and \"analyses\" with result, name, needs_data, summary,\n"
        "footer, \"options\" (name, type, help; where there are such, values, least, most, default) and \"second\", the\n"
        "option for a second data set.");
    command->callback([&chosen, output] { chosen = [output](Context &context) { run(*output, context); }; });
}

} // namespace headscope::cli

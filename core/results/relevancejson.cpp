#include "core/results/relevancejson.h"

#include "core/results/jsonread.h"

namespace headscope {
namespace {

using nlohmann::json;
using jsonread::integer;
using jsonread::number;

} // namespace

Json toJson(const RelevanceResult &result)
{
    Json heads = Json::array();
    for (const HeadRelevance &head : result.heads)
        heads.push_back({{"head", toText(head.head)}, {"relevance", head.relevance}, {"stderr", head.standardError}});
    Json points = Json::array();
    for (const ContributionPoint &point : result.contributions)
        points.push_back({{"position", point.position},
                          {"examples", point.examples},
                          {"source", point.source},
                          {"source_entropy", point.sourceEntropy},
                          {"prefix_entropy", point.prefixEntropy}});
    Json object = {{"result", "relevance"},
                   {"rule", toText(result.rule)},
                   {"absolute", result.absolute},
                   {"prefix", result.prefix},
                   {"examples", result.examples},
                   {"steps", result.steps},
                   {"conserved", result.conserved},
                   {"largest_deviation", result.largestDeviation},
                   {"heads", std::move(heads)},
                   {"contributions", std::move(points)}};
    if (!result.sentences.empty()) {
        object["sentences"] = Json::array();
        for (const ExampleRelevance &one : result.sentences)
            object["sentences"].push_back({{"index", one.index},
                                           {"steps", one.steps},
                                           {"heads", one.heads},
                                           {"source", one.source},
                                           {"prefix", one.prefix}});
    }
    object["manifest"] = headscope::toJson(result.manifest);
    return object;
}

RelevanceResult relevanceFromJson(const json &object)
{
    RelevanceResult result;
    result.manifest = manifestFromJson(object.at("manifest"), "manifest").valueOrThrow();
    result.rule = parseName<RelevanceRule>(object.at("rule").get<std::string>()).valueOrThrow();
    result.absolute = object.value("absolute", false);
    result.prefix = jsonread::text(object, "prefix");
    result.examples = integer(object, "examples", 0);
    result.steps = integer(object, "steps", 0);
    result.conserved = number(object, "conserved");
    result.largestDeviation = number(object, "largest_deviation");
    for (const json &head : object.at("heads"))
        result.heads.push_back({jsonread::head(head), number(head, "relevance"), number(head, "stderr")});
    for (const json &point : object.at("contributions"))
        result.contributions.push_back({integer(point, "position", 0), integer(point, "examples", 0),
                                        number(point, "source"), number(point, "source_entropy"),
                                        number(point, "prefix_entropy")});
    if (object.contains("sentences"))
        for (const json &one : object["sentences"])
            result.sentences.push_back({integer(one, "index", 0), integer(one, "steps", 0),
                                        one.at("heads").get<std::vector<double>>(),
                                        one.at("source").get<std::vector<std::vector<double>>>(),
                                        one.at("prefix").get<std::vector<std::vector<double>>>()});
    return result;
}

} // namespace headscope

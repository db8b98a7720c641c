#include "core/demo/democorpus.h"

#include "core/formats/atomicfile.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace headscope {

namespace {

using Side = std::vector<DemoToken> DemoPair::*;

struct Split
{
    std::string_view name;
    const std::vector<DemoPair> &pairs;
    bool withTrees;
};

struct Language
{
    std::string_view code;
    Side side;
};

constexpr Language kLanguages[] = {{"en", &DemoPair::english}, {"fr", &DemoPair::french}};

std::string plainText(const std::vector<DemoPair> &pairs, Side side)
{
    std::string text;
    for (const DemoPair &pair : pairs)
        text += demoText(pair.*side) + '\n';
    return text;
}

std::string labelTable(const std::vector<DemoPair> &pairs)
{
    std::string text = "sentence\tlabel\n";
    for (const DemoPair &pair : pairs)
        text += demoText(pair.english) + '\t' + demoLabel(pair.english) + '\n';
    return text;
}

std::string treeText(const std::vector<DemoToken> &sentence)
{
    std::string text;
    for (std::size_t i = 0; i < sentence.size(); ++i) {
        const DemoToken &token = sentence[i];
        text += fmt::format("{}\t{}\t{}\t{}\t_\t{}\t{}\t{}\t_\t{}\n", i + 1, token.form, token.lemma, token.upos,
                            token.features.empty() ? "_" : token.features, token.head, token.relation,
                            token.spaceAfter ? "_" : "SpaceAfter=No");
    }
    return text;
}

std::string treebank(const Split &split, const Language &language)
{
    std::string text;
    for (std::size_t i = 0; i < split.pairs.size(); ++i) {
        const std::vector<DemoToken> &sentence = split.pairs[i].*language.side;
        text += fmt::format("# sent_id = {}-{}-{}\n# text = {}\n{}\n", split.name, language.code, i + 1,
                            demoText(sentence), treeText(sentence));
    }
    return text;
}

std::string frequencies(const std::vector<DemoPair> &pairs, Side side)
{
    std::map<std::string, std::int64_t> counts;
    for (const DemoPair &pair : pairs) {
        for (const DemoToken &token : pair.*side)
            ++counts[token.form];
    }
    std::vector<std::pair<std::string, std::int64_t>> rows(counts.begin(), counts.end());
    std::ranges::stable_sort(rows, std::ranges::greater(), &std::pair<std::string, std::int64_t>::second);
    std::string text;
    for (const auto &[word, count] : rows)
        text += fmt::format("{}\t{}\n", word, count);
    return text;
}

class Writer
{
public:
    Writer(std::filesystem::path folder, const JobControl &control)
        : m_folder(std::move(folder)), m_control(control) { }

    void write(const std::string &name, const std::string &text)
    {
        m_control.checkpoint();
        writeFileAtomically(m_folder / name, text).valueOrThrow();
        m_control.progress({"writing the demo corpus", "files", ++m_done, 18});
    }

private:
    std::filesystem::path m_folder;
    const JobControl &m_control;
    std::int64_t m_done = 0;
};

void writeSplit(Writer &writer, const Split &split)
{
    writer.write(fmt::format("{}.objects.tsv", split.name), labelTable(split.pairs));
    for (const Language &language : kLanguages) {
        writer.write(fmt::format("{}.{}", split.name, language.code), plainText(split.pairs, language.side));
        if (split.withTrees)
            writer.write(fmt::format("{}.{}.conllu", split.name, language.code), treebank(split, language));
    }
}

Result<Done> makeFolder(const std::filesystem::path &folder)
{
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error)
        return resourceError(fmt::format("cannot make the folder {}: {}", folder.string(), error.message()));
    return Done{};
}

} // namespace

std::string demoLabel(const std::vector<DemoToken> &sentence)
{
    const auto place = [&](const DemoToken &token) { return static_cast<int>(&token - sentence.data()) + 1; };
    const auto root = std::ranges::find(sentence, 0, &DemoToken::head);
    if (root == sentence.end())
        return "none";
    const auto object = std::ranges::find_if(
        sentence, [&](const DemoToken &token) { return token.head == place(*root) && token.relation == "obj"; });
    if (object == sentence.end())
        return "none";
    const bool joined = std::ranges::any_of(
        sentence, [&](const DemoToken &token) { return token.head == place(*object) && token.relation == "conj"; });
    return joined || object->features.find("Number=Plur") != std::string::npos ? "several" : "one";
}

Result<Done> writeDemoCorpus(const DemoCorpus &corpus, const DemoCorpusSpec &, const std::filesystem::path &folder,
                             const JobControl &control)
{
    try {
        makeFolder(folder).valueOrThrow();
        Writer writer(folder, control);
        for (const Split &split : {Split{"train", corpus.train, false},
                                   {"validation", corpus.validation, false},
                                   {"in_domain", corpus.inDomain, true},
                                   {"out_of_domain", corpus.outOfDomain, true}})
            writeSplit(writer, split);
        for (const Language &language : kLanguages)
            writer.write(fmt::format("frequencies.{}.tsv", language.code), frequencies(corpus.train, language.side));
    } catch (const Cancelled &) {
        return Result<Done>::cancelled();
    } catch (const Failure &failure) {
        return failure.error();
    }
    return Done{};
}

} // namespace headscope

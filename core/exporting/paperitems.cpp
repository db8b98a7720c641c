#include "core/exporting/paperitems.h"

#include <cstddef>

namespace headscope {
namespace {

constexpr std::string_view kMichel = "Michel, Levy, Neubig (2019): Are Sixteen Heads Really Better than One?";
constexpr std::string_view kVoita = "Voita et al. (2019): Analyzing Multi-Head Self-Attention";
constexpr std::string_view kClark = "Clark et al. (2019): What Does BERT Look At?";
constexpr std::string_view kVig = "Vig (2019): A Multiscale Visualization of Attention";
constexpr std::string_view kCordonnier
    = "Cordonnier, Loukas, Jaggi (2020): Multi-Head Attention: Collaborate Instead of "
      "Concatenate";
constexpr std::string_view kVaswani = "Vaswani et al. (2017): Attention Is All You Need";

constexpr std::string_view kReport = "headscope-cli report MODEL DATA --out-dir DIR";
constexpr std::string_view kPapers = "headscope-cli report MODEL DATA --papers --out-dir DIR";
constexpr std::string_view kWindow = "headscope MODEL --in DATA --export-all DIR";

constexpr std::string_view kSecond = "a second data set";
constexpr std::string_view kKinds = "a model with several kinds of attention";
constexpr std::string_view kTrees = "dependency trees (--conllu)";
constexpr std::string_view kGates = "training runs with gates (minutes on the demo's corpus, hours on larger ones)";
constexpr std::string_view kRuns = "the checkpoints of a training run (--runs)";
constexpr std::string_view kTrainings
    = "a training run for each line (minutes on the demo's corpus, hours on larger ones)";

constexpr PaperItem kItems[] = {
    {"michel-table-1", kMichel, "Table 1", "score without each head",
     "Most heads can be removed one at a time without a significant change of the score (8 of 96 encoder heads change it)",
     "report/tables/ablation-*.csv report/figures/heads-*.svg", kReport, "michel-table-1", ""},
    {"michel-figure-1", kMichel, "Figure 1", "histogram of scores without one head",
     "Most heads change the score little", "report/figures/histogram-*.svg window/heads/histogram-of-*.csv", kReport,
     "michel-table-1", ""},
    {"michel-table-2", kMichel, "Table 2", "best single head per layer, translation",
     "In most layers one head is enough", "report/tables/best-heads-*.csv window/layers/one-head-a-layer-*.png",
     kReport, "michel-table-2", ""},
    {"michel-table-3", kMichel, "Table 3", "best single head per layer, BERT", "In all layers one head is enough",
     "report/tables/best-heads-*.csv window/layers/one-head-a-layer-*.png", kReport, "michel-table-3", ""},
    {"michel-figure-2", kMichel, "Figure 2", "scores without a head on two data sets",
     "Heads that matter on one data set matter on the other (r > 0.5)",
     "report/figures/scatter.svg report/tables/correlation.csv", kReport, "michel-figure-2", kSecond},
    {"michel-figure-3", kMichel, "Figure 3", "score while heads are removed, by importance and by ablation",
     "A fifth (translation) to two fifths (BERT) of the heads can go; importance is the better order",
     "report/figures/pruning-*.svg report/tables/pruning-*.csv", kReport, "michel-figure-3", ""},
    {"michel-figure-4", kMichel, "Figure 4", "score while heads of one kind of attention are removed",
     "Cross-attention depends on its heads most", "report/figures/kinds-*.svg report/tables/kinds-*.csv", kReport,
     "michel-figure-4", kKinds},
    {"michel-figure-5", kMichel, "Figure 5", "score left by share of heads removed, over training",
     "From about the tenth epoch on, heads can be removed", "report/figures/training-*.svg report/tables/training.csv",
     "headscope-cli report MODEL DATA --runs RUN --out-dir DIR", "michel-figure-5", kRuns},
    {"michel-rescaled", kMichel, "Published code: rescaled heads",
     "score while heads are removed and the others of their layers are scaled by H / kept",
     "Reported numbers are without it; the published code has it as an option", "tables/rescaled.csv",
     "headscope-cli prune MODEL DATA --rescale --format csv", "", ""},
    {"michel-metrics", kMichel, "Published code: metrics of GLUE",
     "accuracy, F1 and Matthews' correlation while heads are removed",
     "Other metrics of labels fall where accuracy does", "tables/rescaled.csv window/pruning/pruning-curves-*.csv",
     "headscope-cli prune MODEL DATA --format csv", "michel-metrics", "labels"},
    {"michel-table-4", kMichel, "Table 4", "speed by batch size with half of the heads removed",
     "At large batches the model gets up to 17.5 % faster", "report/figures/speed.svg report/tables/speed.csv", kReport,
     "michel-table-4", ""},

    {"voita-figure-1", kVoita, "Figures 1 and 2", "relevance, confidence and role of every encoder head",
     "Few heads matter, and these have roles: positional, syntactic, rare words",
     "window/roles/roles-*.png report/tables/roles-*.csv", kPapers, "voita-figure-1", ""},
    {"voita-table-1", kVoita, "Table 1", "accuracy of the best head by relation, beside the best fixed offset",
     "Heads follow nsubj, obj, amod and advmod ten points better than a fixed offset",
     "report/tables/relations-*.csv window/roles/best-head-of-every-relation-*.png", kPapers, "voita-table-1", kTrees},
    {"voita-figure-3", kVoita, "Figure 3", "where the heads of dependents lie", "Most lie near, at different offsets",
     "report/figures/offsets-*.svg report/tables/offsets-*.csv window/roles/where-heads-of-words-lie-*", kPapers,
     "voita-figure-3", kTrees},
    {"voita-figure-4", kVoita, "Figure 4", "accuracy of heads by relation, several models",
     "Models for several target languages have such heads alike",
     "report/figures/partners-*.svg report/tables/relation-heads-*.csv window/roles/partners-found-*", kPapers,
     "voita-table-1", kTrees},
    {"voita-figure-5", kVoita, "Figure 5", "attention of a head of rare words",
     "A head of the first layer points to the rarest word",
     "window/attention/attention-of-*.png window/attention/attention-of-*.csv", kWindow, "voita-figure-5", ""},
    {"voita-figure-6", kVoita, "Figure 6", "densities of the Hard Concrete distribution",
     "Gates are 0 or 1 with a probability of their own",
     "window/training/density-of-gates-*.svg window/training/density-of-gates-*.csv",
     "headscope RUN/epoch-NNN --export-all DIR", "voita-figure-6", kGates},
    {"voita-figure-7", kVoita, "Figure 7", "BLEU by the number of encoder heads left",
     "10 of 48 heads keep BLEU within 0.15",
     "window/training/score-by-heads-left-*.svg window/training/score-by-heads-left-*.csv tables/l0*.csv",
     "headscope-cli l0 CONFIG.json --lambda X,... --format csv", "voita-figure-7", kGates},
    {"voita-table-2", kVoita, "Table 2", "pruned models beside models trained with as many heads",
     "English-Russian WMT: pruned models are better by 0.15 to 0.5 BLEU", "tables/against-scratch.*",
     "headscope-cli train CONFIG.json --mask FILE --mask FILE --against-scratch", "voita-table-2", kGates},
    {"voita-figure-8", kVoita, "Figure 8", "roles of the encoder heads left", "At 17 heads all roles are still there",
     "window/training/open-heads-by-role-*.svg window/training/open-heads-by-role-*.csv",
     "headscope RUN/epoch-NNN --export-all DIR", "voita-figure-8", kGates},
    {"voita-figure-9", kVoita, "Figure 9", "heads left by kind of attention",
     "Encoder heads go first, cross heads last",
     "window/training/open-heads-by-kind-*.svg window/training/open-heads-by-kind-*.csv",
     "headscope RUN/epoch-NNN --export-all DIR", "voita-figure-9", kGates},
    {"voita-figure-10", kVoita, "Figure 10", "heads left by layer of the decoder",
     "Self-attention is left in low layers, cross-attention in high ones",
     "window/training/open-heads-by-layer-*.svg window/training/open-heads-by-layer-*.csv",
     "headscope RUN/epoch-NNN --export-all DIR", "voita-figure-10", kGates},

    {"clark-figure-1", kClark, "Figures 1 and 5", "attention of single heads",
     "Heads attend broadly, to the next token, to [SEP], "
     "to periods, or follow syntax",
     "window/attention/attention-of-all-heads.png window/attention/attention-as-lines-*.png", kWindow, "", ""},
    {"clark-figure-2", kClark, "Figure 2", "a point per head: neighbours, special tokens, punctuation",
     "In the middle layers more than half of the attention goes to [SEP]",
     "report/figures/attention-*.svg report/tables/attention-*.csv "
     "window/roles/previous-next-itself-*.svg window/roles/first-token-delimiters-punctuation-*.svg "
     "window/roles/delimiters-from-delimiters-and-others-*.svg",
     kPapers, "clark-figure-2", ""},
    {"clark-figure-3", kClark, "Figure 3", "gradient of the loss by attention",
     "Where heads attend to [SEP], the loss hardly depends on it",
     "report/figures/gradients-*.svg report/tables/gradients-*.csv", kPapers, "clark-figure-3", ""},
    {"clark-figure-4", kClark, "Figure 4", "entropy of each head's attention", "Heads of low layers attend broadly",
     "report/figures/entropy-*.svg report/tables/attention-*.csv window/roles/entropy-encoder-*.svg window/heads/entropy-of-attention-*.png",
     kPapers, "clark-figure-4", ""},
    {"clark-table-1", kClark, "Table 1", "best head by dependency relation", "Single heads beat the best fixed offset",
     "report/tables/relations-*.csv window/roles/best-head-of-every-relation-*.png", kPapers, "clark-table-1", kTrees},
    {"clark-table-2", kClark, "Table 2", "coreference: antecedents found by a head",
     "One head is better than the nearest mention", "tables/coreference.*",
     "headscope-cli coreference --model MODEL --conllu DOCUMENTS", "clark-table-2",
     "documents with coreference (CoNLL-2012, which has a licence; the demo's corpus has made-up ones)"},
    {"clark-table-3", kClark, "Table 3", "trees read off attention by a probe", "Attention knows a good deal of syntax",
     "tables/probe.*", "headscope-cli probe --model MODEL --conllu FILE --random-model --vectors GLOVE.txt",
     "clark-table-3", "dependency trees (--conllu); word vectors (GloVe) for two of its rows"},
    {"clark-figure-6", kClark, "Figure 6", "heads as points, near where they attend alike",
     "Heads of a layer are near each other", "window/map/map-of-heads-*.svg window/map/distances-of-heads-*.csv",
     kWindow, "clark-figure-6", ""},

    {"vig-head-view", kVig, "Head view", "attention as lines between two rows of tokens",
     "Single heads show what they do", "window/attention/attention-as-lines-*.png", kWindow, "", ""},
    {"vig-model-view", kVig, "Model view", "all heads as thumbnails", "Patterns recur over layers",
     "window/attention/attention-of-all-heads.png", kWindow, "", ""},
    {"vig-neuron-view", kVig, "Neuron view", "query and key vectors of a head", "Single neurons make the pattern",
     "window/attention/neurons-of-*.png window/attention/neurons-of-*.csv", kWindow, "", ""},

    {"cordonnier-figure-1", kCordonnier, "Figure 1", "energy of query and key projections",
     "Heads by themselves have full rank, all of a layer together a third of it",
     "report/figures/energy.svg report/tables/energy.csv", kPapers, "cordonnier-figure-1", ""},
    {"cordonnier-sharing", kCordonnier, "Score by dimensions", "score over the number of shared dimensions",
     "Without training again, to about two thirds; with it, to a third",
     "window/sharing/shared-projections-*.svg "
     "window/sharing/shared-projections-*.csv",
     kWindow, "cordonnier-sharing", ""},
    {"cordonnier-mixing", kCordonnier, "Mixing matrices", "which head uses which shared dimension, of a third of them",
     "Concatenated heads are blocks; shared ones mix", "window/sharing/mixing-matrix-*.png tables/mixing.json",
     "headscope-cli collaborate MODEL DATA --mixing", "cordonnier-mixing", ""},
    {"cordonnier-costs", kCordonnier, "Costs of sharing",
     "parameters, multiply-adds of scores and time of the factorization by shared dimensions",
     "Projections get smaller; each head then multiplies all shared dimensions; factorizing takes seconds a layer",
     "tables/collaborate.csv window/sharing/costs-of-sharing-*", "headscope-cli collaborate MODEL DATA --format csv",
     "cordonnier-costs", ""},
    {"cordonnier-tuning", kCordonnier, "Tables of translation and GLUE",
     "scores after training with shared projections",
     "Translation: eight times smaller projections lose nothing, smaller ones less than 1 BLEU; GLUE: a third of the dimensions "
     "loses at most 1.5 %",
     "tables/shared-training.* tables/shared-tuning*",
     "headscope-cli train CONFIG.json --start-from MODEL --shared-projections N,...", "cordonnier-tuning", kTrainings},

    {"vaswani-table-3a", kVaswani, "Table 3 (A)", "loss and BLEU by the number of heads, at equal cost",
     "One head is 0.9 BLEU worse than eight; too many are worse as well", "tables/heads.*",
     "headscope-cli train CONFIG.json --heads 1,4,8,16,32", "vaswani-table-3a", kTrainings},
    {"vaswani-figures-3-5", kVaswani, "Figures 3 to 5", "attention of single heads",
     "Heads follow structure and reference",
     "window/attention/attention-of-*.png window/attention/attention-as-lines-*.png", kWindow, "", ""},
};

/// In a cell of a Markdown table.
std::string cellText(std::string_view text)
{
    std::string cell;
    for (const char c : text) {
        if (c == '|')
            cell += '\\';
        cell += c;
    }
    return cell.empty() ? "–" : cell;
}

} // namespace

std::span<const PaperItem> paperItems()
{
    return kItems;
}

bool matchesPattern(std::string_view path, std::string_view pattern)
{
    const std::size_t star = pattern.find('*');
    if (star == std::string_view::npos)
        return path == pattern;
    if (path.substr(0, star) != pattern.substr(0, star))
        return false;
    path.remove_prefix(star);
    pattern.remove_prefix(star + 1);
    for (std::size_t start = 0; start <= path.size(); ++start) {
        if (matchesPattern(path.substr(start), pattern))
            return true;
    }
    return false;
}

std::string paperItemsMarkdown()
{
    std::string text;
    std::string_view paper;
    for (const PaperItem &item : paperItems()) {
        if (item.paper != paper) {
            paper = item.paper;
            text += (text.empty() ? "## " : "\n## ") + std::string(paper)
                  + "\n\n| item | shows | ours | needs |\n|---|---|---|---|\n";
        }
        text += "| " + cellText(item.item) + " | " + cellText(item.shows) + " | `" + std::string(item.command) + "` | "
              + cellText(item.needs) + " |\n";
    }
    return text;
}

} // namespace headscope

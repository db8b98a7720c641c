#pragma once

#include "tests/support/madeupstudy.h"
#include "ui/state/studycontroller.h"

#include <memory>

namespace headscope {

/// A study with results but without a session, as a reopened one has.
struct MadeUp
{
    StudyState state;
    StudyController controller{state};

    explicit MadeUp(bool out = true, bool curves = true)
    {
        controller.setAutomatic(false);
        ModelCard card;
        card.folder = "marian-multi30k-en-fr";
        card.family = "marian";
        card.task = "translation";
        card.weightsHash = "0123456789abcdef"; // that of the results
        card.layout = madeup::layout();
        card.primaryMetric = "BLEU";
        card.metrics = {"BLEU", "chrF2"};
        state.setModel(card, nullptr);
        for (Domain domain : kBothDomains) {
            const bool isOut = domain == Domain::Out;
            if (isOut && !out)
                continue;
            DataCard data;
            data.name = isOut ? "test_2017_mscoco" : "test_2016_flickr";
            data.rows = isOut ? 461 : 1000;
            data.hash = isOut ? "out" : "in";
            state.setData(domain, data);
            state.addResult(domain, madeup::ablation(isOut));
            state.addResult(domain, madeup::importance(isOut));
            state.addResult(domain, madeup::confidence(isOut));
            if (curves) {
                for (const char *order : {"importance", "ablation"})
                    state.addResult(domain, madeup::pruning(order, isOut));
                if (!isOut)
                    state.addResult(domain, madeup::pruning("random", isOut, 10));
            }
            state.addResult(domain, evaluation(isOut, {}));
        }
    }

    static std::shared_ptr<const EvaluationResult> evaluation(bool out, const HeadMask &mask)
    {
        auto result = std::make_shared<EvaluationResult>();
        result->manifest = madeup::manifest("evaluate", out);
        result->mask = mask;
        const double score = (out ? 39.84 : 56.92) - 0.11 * double(mask.size());
        result->metrics = {{"BLEU", score, Interval{score - 0.7, score + 0.7}, ""}};
        const char *whole[] = {"Un chien brun court dans le champ enneigé.", "Une femme lit un livre.",
                               "Deux enfants jouent dans un parc."};
        const char *masked[] = {"Un chien noir court dans un champ enneigé.", "Une femme lit un livre.",
                                "Deux garçons jouent dans le parc vert."};
        for (int i = 0; i < 3; ++i)
            result->outputs.push_back({i, {}, mask.empty() ? whole[i] : masked[i], 0, {}, {}, {}});
        result->examples = 3;
        return result;
    }
};

} // namespace headscope

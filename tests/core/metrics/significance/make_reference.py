"""Makes systems.json: two systems of 80 sentences each and what sacreBLEU says of their difference.

Run once with sacreBLEU 2.6.0 and SciPy: python make_reference.py ../../../../resources/demo/corpus/in_domain.fr
The sentences are the demo's (made by Headscope's own grammar); the systems are these with words dropped, doubled or
replaced at random, the second one a little less often.
"""
import json
import os
import random
import sys

import numpy
import sacrebleu
import scipy.stats
from sacrebleu.significance import PairedTest

lines = [line.rstrip("\n") for line in open(sys.argv[1], encoding="utf-8")][:80]
words = sorted({word for line in lines for word in line.split()})


def damaged(line, rate, generator):
    out = []
    for word in line.split():
        draw = generator.random()
        if draw < rate / 3:
            continue
        if draw < 2 * rate / 3:
            out.append(word)
        out.append(generator.choice(words) if 2 * rate / 3 <= draw < rate else word)
    return " ".join(out)


generator = random.Random(2026)
baseline = [damaged(line, 0.30, generator) for line in lines]
system = [damaged(line, 0.26, generator) for line in lines]
result = {"made_by": f"sacrebleu {sacrebleu.__version__}, make_reference.py", "references": lines, "baseline": baseline,
          "system": system, "metrics": {}}
SAMPLES = 20000
for name, metric in (("BLEU", sacrebleu.BLEU()), ("chrF2", sacrebleu.CHRF())):
    found = {}
    for test, samples in (("bs", 1000), ("ar", SAMPLES)):
        os.environ["SACREBLEU_SEED"] = "12345"
        _, scores = PairedTest([("baseline", baseline), ("system", system)], {name: metric}, [lines], test_type=test,
                               n_samples=samples)()
        value = list(scores.values())[0]
        for key, column in scores.items():
            if key != "System":
                value = column
        found[test] = {"samples": samples, "p": float(value[1].p_value), "score": float(value[1].score)}
        if test == "bs":
            found[test] |= {"mean": float(value[1].mean), "half_width": float(value[1].ci)}
    # The two-sided percentile test over sacreBLEU's own statistics and scores.
    base = numpy.array(metric._extract_corpus_statistics(baseline, [lines]), dtype="float64")
    other = numpy.array(metric._extract_corpus_statistics(system, [lines]), dtype="float64")
    picked = numpy.random.default_rng(1).choice(len(lines), size=(SAMPLES, len(lines)))
    score = lambda stats: metric._compute_score_from_stats(stats.sum(0)).score
    deltas = numpy.array([score(other[i]) - score(base[i]) for i in picked])
    found["percentile"] = {"samples": SAMPLES, "p": float(2 * min((deltas <= 0).mean(), (deltas >= 0).mean())),
                           "delta": score(other) - score(base),
                           "low": float(numpy.percentile(deltas, 2.5)), "high": float(numpy.percentile(deltas, 97.5))}
    result["metrics"][name] = found
# scipy.stats on numbers with ties, and right and wrong answers.
a = [0.3, -1.2, 0.0, 0.0, 2.5, -0.7, 0.3, 1.1, -2.0, 0.6]
b = [0.1, -0.9, 0.2, 0.1, 1.9, -0.7, -0.4, 0.2, -1.1, 0.1]
tau = scipy.stats.kendalltau(a, b, method="asymptotic")
right = [1, 1, 0, 1, 0, 1, 1, 1, 0, 1, 1, 0]
other_right = [1, 0, 0, 0, 0, 1, 0, 1, 1, 1, 0, 0]
result["scipy"] = {"version": scipy.__version__, "a": a, "b": b, "tau": tau.statistic, "tau_p": tau.pvalue, "first": right,
                   "second": other_right, "t_p": scipy.stats.ttest_rel(right, other_right).pvalue}
json.dump(result, open("systems.json", "w", encoding="utf-8"), ensure_ascii=False, indent=1)
print(json.dumps({"metrics": result["metrics"], "scipy": result["scipy"]}, indent=1))

#pragma once

#include "core/results/relevanceresult.h"
#include "core/results/roles.h"
#include "tests/support/madeupstudy.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

/// Made-up roles and relevance for the made-up study: positional heads in the first layers, a few syntactic and one
/// rare-word head in the encoder, copying ones in cross-attention; the numbers come from a fixed formula.
namespace headscope::madeup {

inline RoleEvidence evidence(const std::string &claim)
{
    RoleEvidence evidence{claim, {}, {}};
    for (std::int64_t i = 0; i < 5; ++i) {
        evidence.best.push_back({3 * i % 8, 14 - i, 14 - i});
        evidence.worst.push_back({(3 * i + 1) % 8, i, 13});
    }
    return evidence;
}

/// `trees`: false as without a CoNLL-U file.
inline std::shared_ptr<const RolesResult> roles(bool out = false, bool trees = true)
{
    auto result = std::make_shared<RolesResult>();
    result->manifest = manifest("roles", out);
    result->examples = result->manifest.examples;
    result->prefix = "reference";
    result->rarityFrom = "order of the vocabulary";
    result->rarityApproximate = true;
    result->raritySentences = 640;
    if (trees) {
        result->trees = 940;
        result->treesNotAligned = 60;
        const char *names[] = {"nsubj", "obj", "amod", "advmod", "det", "vocative"};
        int i = 0;
        for (const char *name : names) {
            for (const ArcDirection direction : {ArcDirection::DependentToHead, ArcDirection::HeadToDependent}) {
                const bool rare = std::string(name) == "vocative";
                result->relations.push_back({name, direction, rare ? 12 : 900 + 40 * i,
                                             direction == ArcDirection::DependentToHead ? 1 : -1, 0.32 + 0.03 * (i % 5),
                                             0.08});
                ++i;
            }
        }
    }
    const std::int64_t queries = 14000;
    const HeadLayout shape = layout();
    for (const HeadRef &head : shape.heads()) {
        HeadRoleScores scores;
        scores.head = head;
        scores.confidence = 0.2 + 0.75 * noise(head, 9);
        scores.tokens = queries;
        scores.offsets.queries = queries;
        const bool cross = head.kind == HeadKind::Cross;
        const bool positional = !cross && ((head.layer == 0 && head.head < 2) || (head.layer == 1 && head.head == 5));
        const int offset = head.head % 2 == 0 ? -1 : head.kind == HeadKind::Encoder ? 1 : -2;
        std::int64_t left = queries;
        for (int at = -kLargestOffset; at <= kLargestOffset; ++at) {
            Share &share = scores.offsets.at(at);
            share.instances = head.kind == HeadKind::Decoder && at > 0 ? 0 : queries - 900 * std::abs(at);
            share.expected = 0.07;
            const double mass
                = positional ? (at == offset ? 0.94 : 0.002) : 0.16 * noise(head, 20 + at) / (1 + 0.4 * std::abs(at));
            share.hits = static_cast<std::int64_t>(mass * static_cast<double>(share.instances));
            left -= share.hits;
        }
        scores.offsets.farther = std::max<std::int64_t>(left, 0);
        if (positional)
            scores.evidence.push_back(evidence("offset " + std::to_string(offset)));
        if (head.kind == HeadKind::Encoder) {
            for (std::size_t i = 0; i < result->relations.size(); ++i) {
                const RelationDirection &relation = result->relations[i];
                const bool good = (head.layer == 2 && head.head == 3 && i == 0)
                               || (head.layer == 1 && head.head == 5 && i == 3)
                               || (head.layer == 3 && head.head == 1 && i == 4);
                const double share = good ? relation.baseline + 0.27
                                          : relation.baseline * (0.3 + 0.75 * noise(head, 40 + static_cast<int>(i)));
                // The relation of few instances looks perfect in one head: no label may rest on it.
                const bool lucky = relation.relation == "vocative" && head.layer == 0 && head.head == 7;
                scores.relationHits.push_back(
                    static_cast<std::int64_t>((lucky ? 1.0 : share) * static_cast<double>(relation.instances)));
                if (good)
                    scores.evidence.push_back(
                        evidence(relation.relation
                                 + (relation.direction == ArcDirection::DependentToHead ? " dependent to head"
                                                                                        : " head to dependent")));
            }
        }
        if (head.kind != HeadKind::Decoder) {
            const bool rare = head.kind == HeadKind::Encoder && head.layer == 0 && head.head == 6;
            scores.rarest = Share{rare ? 5200 : 700, 8200, 0.08};
            scores.twoRarest = Share{rare ? 6600 : 1500, 8200, 0.16};
            if (rare)
                scores.evidence.push_back(evidence("rare word"));
        }
        if (cross) {
            scores.patterns.push_back(
                {Pattern::Copy, head.layer == 2 && head.head == 4 ? 0.71 : 0.2 * noise(head, 61), 0.09, 3100});
            scores.patterns.push_back(
                {Pattern::Diagonal, head.layer == 1 && head.head < 2 ? 0.66 : 0.3 * noise(head, 62), 0.22, queries});
        } else {
            scores.patterns.push_back({Pattern::SameToken, 0.2 * noise(head, 63), 0.06, 4000});
            scores.patterns.push_back(
                {Pattern::Special, head.layer == 3 && head.head > 5 ? 0.83 : 0.4 * noise(head, 64), 0.08, queries});
        }
        if (!cross) {
            const double score = 0.5 + 3 * noise(head, 65);
            const double p = score > 1.5 ? 0.0001 : 1;
            scores.detectors.push_back({RoleDetector::Local, score, 0.02, p, p, 900});
            if (trees && head.kind == HeadKind::Encoder)
                scores.detectors.push_back({RoleDetector::Syntactic, 4 - score, 0.02, 1 - p, 1 - p, 900});
        }
        result->heads.push_back(std::move(scores));
    }
    result->sieveThreshold = 1.5;
    return result;
}

inline std::shared_ptr<const RelevanceResult> relevance(bool out = false)
{
    auto result = std::make_shared<RelevanceResult>();
    result->manifest = manifest("relevance", out);
    result->examples = result->manifest.examples;
    result->steps = 13000;
    result->prefix = "reference";
    result->conserved = 1;
    const HeadLayout shape = layout();
    const auto weight
        = [&](const HeadRef &head) { return 0.2 + std::pow(noise(head, 1), 4) + 0.1 * noise(head, 70 + out); };
    for (const HeadRef &head : shape.heads()) {
        double sum = 0;
        for (const HeadRef &other : shape.heads()) {
            if (other.kind == head.kind && other.layer == head.layer)
                sum += weight(other);
        }
        result->heads.push_back({head, weight(head) / sum, 0.002 + 0.004 * noise(head, 80)});
    }
    return result;
}

} // namespace headscope::madeup

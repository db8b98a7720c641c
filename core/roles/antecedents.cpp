#include "core/roles/antecedents.h"

#include "core/roles/templates.h"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace headscope {
namespace {

std::string lowered(std::string_view text)
{
    std::string result(text);
    std::ranges::transform(result, result.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    return result;
}

bool isAmong(std::string_view word, std::initializer_list<std::string_view> all)
{
    return std::ranges::find(all, word) != all.end();
}

/// The number that agreement goes by; 0: unknown, which agrees with all.
struct Features
{
    int number = 0; ///< 1: singular, 2: plural
    int gender = 0; ///< 1: female, 2: male, 3: a thing
    int person = 3;

    bool agreesWith(const Features &other) const
    {
        const auto agree = [](int a, int b) { return a == 0 || b == 0 || a == b; };
        return agree(number, other.number) && agree(gender, other.gender) && person == other.person;
    }
};

Features featuresOf(const Coreference &document, const Mention &mention)
{
    const TreeWord &head = document.words[static_cast<std::size_t>(mention.head)];
    const std::string word = lowered(head.form);
    Features features;
    if (head.tag.starts_with("NN"))
        features.number = head.tag.ends_with('S') ? 2 : 1;
    if (isAmong(word, {"i", "me", "my", "mine", "myself"}))
        features = {1, 0, 1};
    else if (isAmong(word, {"we", "us", "our", "ours", "ourselves"}))
        features = {2, 0, 1};
    else if (isAmong(word, {"you", "your", "yours", "yourself", "yourselves"}))
        features = {0, 0, 2};
    else if (isAmong(word, {"she", "her", "hers", "herself"}))
        features = {1, 1, 3};
    else if (isAmong(word, {"he", "him", "his", "himself"}))
        features = {1, 2, 3};
    else if (isAmong(word, {"it", "its", "itself", "this", "that"}))
        features = {1, 3, 3};
    else if (isAmong(word, {"they", "them", "their", "theirs", "themselves", "these", "those"}))
        features = {2, 0, 3};
    for (int i = mention.first; i <= mention.last; ++i) {
        const std::string title = lowered(document.words[static_cast<std::size_t>(i)].form);
        if (isAmong(title, {"mr.", "mr", "sir", "lord", "king"}))
            features.gender = 2;
        else if (isAmong(title, {"mrs.", "mrs", "ms.", "ms", "miss", "lady", "queen"}))
            features.gender = 1;
    }
    return features;
}

std::string wordsOf(const Coreference &document, const Mention &mention)
{
    std::string words;
    for (int i = mention.first; i <= mention.last; ++i)
        words += lowered(document.words[static_cast<std::size_t>(i)].form) + ' ';
    return words;
}

/// Everything that rules look at.
struct Described
{
    const Mention *mention = nullptr;
    std::string words;
    std::string head;
    Features features;
};

/// The nearest of the mentions before number `place` that `fits`.
template<typename Fits>
std::optional<std::size_t> nearest(std::size_t place, Fits &&fits)
{
    for (std::size_t i = place; i-- > 0;) {
        if (fits(i))
            return i;
    }
    return std::nullopt;
}

std::optional<std::size_t> chosenBy(AntecedentRule rule, const std::vector<Described> &all, std::size_t place)
{
    const Described &own = all[place];
    const auto any = [](std::size_t) { return true; };
    const auto sameHead = [&](std::size_t i) { return all[i].head == own.head; };
    switch (rule) {
    case AntecedentRule::Nearest:
        return nearest(place, any);
    case AntecedentRule::HeadMatch:
        return nearest(place, sameHead);
    case AntecedentRule::Sieves:
        break;
    }
    auto chosen = nearest(place, [&](std::size_t i) { return all[i].words == own.words; });
    if (!chosen)
        chosen = nearest(place, sameHead);
    if (!chosen)
        chosen = nearest(place, [&](std::size_t i) { return all[i].features.agreesWith(own.features); });
    return chosen ? chosen : nearest(place, any);
}

int placeOf(const std::vector<int> &words, int word)
{
    return static_cast<int>(std::ranges::lower_bound(words, word) - words.begin());
}

} // namespace

AntecedentTask antecedentTask(const Coreference &document, const std::vector<std::uint8_t> &hasTokens)
{
    AntecedentTask task;
    std::vector<Described> all;
    for (const Mention &mention : document.mentions) {
        if (hasTokens[static_cast<std::size_t>(mention.head)] == 0) {
            ++task.leftOut;
            continue;
        }
        all.push_back({&mention, wordsOf(document, mention),
                       lowered(document.words[static_cast<std::size_t>(mention.head)].form),
                       featuresOf(document, mention)});
        task.words.push_back(mention.head);
    }
    std::ranges::sort(task.words);
    const auto repeated = std::ranges::unique(task.words);
    task.words.erase(repeated.begin(), repeated.end());
    for (std::size_t place = 0; place < all.size(); ++place) {
        const Mention &own = *all[place].mention;
        AntecedentChoice choice;
        choice.form = own.form;
        choice.word = placeOf(task.words, own.head);
        bool hasAntecedent = false;
        std::vector<int> slots(task.words.size(), -1); // of every word, its place among candidates
        for (std::size_t i = 0; i < place; ++i) {
            const Mention &other = *all[i].mention;
            if (other.head == own.head) // one within the other: attention cannot distinguish them
                continue;
            const int word = placeOf(task.words, other.head);
            int &slot = slots[static_cast<std::size_t>(word)];
            if (slot < 0) {
                slot = static_cast<int>(std::ssize(choice.candidates));
                choice.candidates.push_back(word);
                choice.isAntecedent.push_back(0);
            }
            if (other.entity == own.entity) {
                choice.isAntecedent[static_cast<std::size_t>(slot)] = 1;
                hasAntecedent = true;
            }
        }
        if (!hasAntecedent)
            continue;
        for (std::size_t rule = 0; rule < kAntecedentRules; ++rule) {
            const auto chosen = chosenBy(static_cast<AntecedentRule>(rule), all, place);
            choice.ruleHits[rule] = chosen && all[*chosen].mention->entity == own.entity;
        }
        task.choices.push_back(std::move(choice));
    }
    return task;
}

FormSums antecedentHits(const AntecedentTask &task, const std::vector<double> &words)
{
    FormSums hits{};
    for (const AntecedentChoice &choice : task.choices) {
        const double *row = words.data() + static_cast<std::size_t>(choice.word) * task.words.size();
        double largest = 0;
        double second = 0;
        std::size_t best = 0;
        for (std::size_t i = 0; i < choice.candidates.size(); ++i) {
            const double weight = row[choice.candidates[i]];
            if (weight > largest) {
                second = largest;
                largest = weight;
                best = i;
            } else {
                second = std::max(second, weight);
            }
        }
        const bool clear = largest > second * kClearlyLarger; // a single candidate has no second
        if (clear && choice.isAntecedent[best] != 0)
            ++hits[static_cast<std::size_t>(choice.form)];
    }
    return hits;
}

} // namespace headscope

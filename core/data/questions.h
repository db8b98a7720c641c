#pragma once

#include "core/data/dataset.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace headscope {

/// How a table of questions for language models is laid out.
enum class QuestionLayout {
    None,      ///< its rows are no questions
    Own,       ///< context (or question, prompt), choices or choice_1, choice_2, …, answer; subject may be there
    Arc,       ///< AI2's question, choices {text, label}, answerKey (Clark et al. 2018)
    HellaSwag, ///< ctx_a, ctx_b, activity_label, endings, label (Zellers et al. 2019)
    Mmlu,      ///< question, subject, choices, answer: the letters are asked for (Hendrycks et al. 2021)
    BoolQ,     ///< passage, question, label or answer (Clark et al. 2019)
    Cloze,     ///< texts whose last word is asked for (LAMBADA; Paperno et al. 2016)
    Squad,     ///< context, question, answers {text}: of which one should follow (Rajpurkar et al. 2016)
    Prompts,   ///< prompt (or question, context), answers or answer: a text, or a list of which one should follow
};

/// By the names of the columns; Cloze where the source says so, Own where it has a template for prompts.
QuestionLayout questionLayout(const DataSource &source, const std::vector<std::string> &names);

/// Which columns a layout reads, for the cards and dialogs of tables. Throws Failure for a column that the user named
/// and the table lacks.
TableColumns questionColumns(QuestionLayout layout, const DataSource &source, const std::vector<std::string> &names,
                             const std::string &place);

/// The question of a row: `source` is what the model reads, `choices` what may follow (each after a blank), `answer`
/// which of them is right, or `accepted` what should follow it, `paradigm` the subject. Prompts are those of
/// lm-evaluation-harness 0.4.13, or the source's template. An answer is the text of a choice, its letter (A is the
/// first) or its number (0 is the first). Throws Failure, naming `place`: a part that is missing or no text, an empty
/// choice, two equal choices, an answer that is none of them.
Example questionOf(const nlohmann::json &row, QuestionLayout layout, const TableColumns &columns,
                   const DataSource &source, const std::string &place);

/// The text before every question: `shots` with their answers, an empty line after each.
std::string shotsText(const std::vector<Example> &shots);

} // namespace headscope

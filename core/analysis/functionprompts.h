#pragma once

#include "core/analysis/functionsspec.h"
#include "core/base/jobcontrol.h"
#include "core/model/spec.h"
#include "core/task/lasttokenruns.h"
#include "core/tokenize/tokenizer.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

struct WordPair
{
    std::string input;
    std::string output;
};

/// A task as a table has it: inputs and their outputs.
struct WordTask
{
    std::string name;
    std::string hash; ///< of the pairs
    std::vector<WordPair> pairs;
};

/// Tasks by their names, separated by commas: those of the program, which lie in ../share/headscope/tasks beside it,
/// and tables. Throws Failure: an unknown name, a table that cannot be read or lacks an input or output.
std::vector<WordTask> readTasks(std::string_view names, const JobControl &control);

/// How pairs become a prompt: "Q: {input}\nA: {output}\n\n".
class PromptTemplate
{
public:
    /// "\n" (two characters) is a new line. Throws Failure (usage) where {input} or {output} is not there once, in this
    /// order.
    explicit PromptTemplate(std::string_view text);

    /// The examples and the question, up to where the answer begins: blanks in front of it are a part of it.
    std::string prompt(std::span<const WordPair> examples, const std::string &input) const;
    std::string answer(const std::string &output) const { return m_blanks + output; }

private:
    std::string m_before, m_between, m_blanks, m_after;
};

/// The prompts that heads are looked at on, of one task.
struct TaskPrompts
{
    std::string name;
    std::int64_t pairs = 0;
    std::vector<AskedPrompt> means{};         ///< examples and a question
    std::vector<AskedPrompt> effects{};       ///< examples with shuffled outputs and a question
    std::vector<WordPair> asked{};            ///< what each of these asks
    std::vector<AskedPrompt> fewShot{};       ///< each held-out pair behind examples,
    std::vector<AskedPrompt> shuffled{};      ///< behind examples with shuffled outputs,
    std::vector<AskedPrompt> zeroShot{};      ///< and alone
    std::string shownPrompt{}, shownAnswer{}; ///< the first of `fewShot`
};

/// Held-out pairs are in no other prompt, and no question is among its examples. Equal seeds give equal prompts.
/// Throws Failure: too few pairs, prompts that the model has no room for.
TaskPrompts taskPrompts(const WordTask &task, const FunctionsSpec &spec, const TransformerSpec &model,
                        const Tokenizer &tokenizer, const JobControl &control);

} // namespace headscope

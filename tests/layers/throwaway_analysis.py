#!/usr/bin/env python3
"""throwaway_analysis.py ROOT COMPILER FLAGS...: adds an analysis to a copy of the tree, in the places that CONTRIBUTING.md
names and in no others, and has what lists or visits analyses compiled without output. Fails when something is missing, or
when there are more places than MOST in files that are there already."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

MOST = 8

RESULT = """#pragma once

#include "core/base/headref.h"
#include "core/results/fields.h"
#include "core/results/manifest.h"

#include <cstdint>
#include <vector>

namespace headscope {

struct HeadTally
{
    HeadRef head;
    double tally = 0;
};

struct TallyResult
{
    static constexpr const char *kKind = "tally";
    Manifest manifest;
    std::vector<HeadTally> heads;
    std::int64_t examples = 0;
};

void describe(auto &visit, Of<HeadTally> auto &head)
{
    visit.field("head", head.head, "address");
    visit.field("tally", head.tally, "its number");
}

void describe(auto &visit, Of<TallyResult> auto &result)
{
    visit.field("heads", result.heads, "one each");
    visit.added("examples", result.examples, "used");
    visit.field("manifest", result.manifest, "where the result comes from");
}

} // namespace headscope
"""

SPEC = """#pragma once

#include "core/analysis/analysisinfo.h"
#include "core/base/phase.h"
#include "core/base/ranges.h"
#include "core/results/tallyresult.h"
#include "core/task/runoptions.h"

#include <array>
#include <cstdint>

namespace headscope {

struct TallySpec
{
    RunOptions run{};
    std::int64_t times = 1;
};

template<typename Visitor>
void describe(Visitor &visit, TallySpec &spec)
{
    visit.integer("times", spec.times, IntegerRange{1}, "How often heads are counted");
}

inline constexpr Phase kPhaseTally{"counting heads"};

template<>
struct AnalysisOf<TallySpec>
{
    using Result = TallyResult;
    static constexpr std::array kPhases{kPhaseTally};
    static constexpr AnalysisInfo kInfo{.name = "tally",
                                        .summary = "Count the heads",
                                        .group = CommandGroup::Roles,
                                        .example = "tally --model MODEL_DIR --data dev.tsv"};
    static TallyResult compute(const TallySpec &spec, AnalysisInput &input, Manifest manifest,
                               const JobControl &control, const Publish<TallyResult> &publish);
};

} // namespace headscope
"""

COMPUTE = """#include "core/analysis/tallyspec.h"

#include "core/analysis/input.h"

#include <utility>

namespace headscope {

TallyResult AnalysisOf<TallySpec>::compute(const TallySpec &spec, AnalysisInput &input, Manifest manifest,
                                           const JobControl &control, const Publish<TallyResult> &)
{
    TallyResult result{.manifest = std::move(manifest), .heads = {}};
    const Task &task = input.data().task;
    for (const HeadRef &head : task.layout().heads())
        result.heads.push_back({head, static_cast<double>(spec.times)});
    result.examples = task.size();
    control.progress({kPhaseTally, "examples", result.examples, result.examples});
    return result;
}

} // namespace headscope
"""

# Files of the analysis by itself.
NEW = {
    "core/results/tallyresult.h": RESULT,
    "core/analysis/tallyspec.h": SPEC,
    "core/analysis/tally.cpp": COMPUTE,
}


def after(pattern, added):
    """Puts `added` behind the last match of `pattern`."""

    def change(text):
        found = list(re.finditer(pattern, text))
        assert found, pattern
        return text[: found[-1].end()] + added + text[found[-1].end():]

    return change


def both(*changes):
    def change(text):
        for one in changes:
            text = one(text)
        return text

    return change


# Lines in files that are there already, and what is done there.
PLACES = {
    "core/results/anyresult.h": both(
        after(r'#include "core/results/takeoverresult.h"\n', '#include "core/results/tallyresult.h"\n'),
        after(r"using ResultVariant\s*= std::variant<[^;]*(?=>;)", ", TallyResult")),
    "core/analysis/anyspec.h": both(
        after(r"\nstruct \w+Spec;\n", "struct TallySpec;\n"),
        after(r"using AllSpecs\s*= SpecList<[^;]*(?=>;)", ", TallySpec")),
    "core/analysis/analyses.h": after(r'#include "core/analysis/\w+spec.h"\n', '#include "core/analysis/tallyspec.h"\n'),
}

# What is compiled: the analysis, and who visits all of them (results, messages, help, the table of phases).
COMPILED = ["core/analysis/tally.cpp", "core/results/json.cpp", "core/remote/wire.cpp", "app/cli/help.cpp",
            "app/cli/progressline.cpp"]


def documented(root):
    """Files that CONTRIBUTING.md names for an analysis: with <x> for what is new."""
    text = (root / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = text[text.index("### To add an analysis"):]
    section = section[: section.index("\n### ", 5)]
    named = set()
    for line in re.findall(r"^\| (`[^|]*) \|", section, re.M):
        folder = ""
        for name in re.findall(r"`([^`]+)`", line):
            if "/" in name:
                folder = name.rsplit("/", 1)[0] + "/"
            else:
                name = folder + name
            match = re.match(r"(.*)\{(.*)\}(.*)", name)
            named.update([match[1] + end + match[3] for end in match[2].split(",")] if match else [name])
    return named


def main():
    root, compiler, flags = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3:]
    named = documented(root)
    missing = [name for name in PLACES if name not in named]
    missing += [name for name in NEW if re.sub("tally", "<x>", name) not in named]
    existing = sorted(name for name in named if "<x>" not in name and name.startswith(("core/", "app/", "ui/")))
    print(f"places of CONTRIBUTING.md in the code that is there: {', '.join(existing)}")
    # The compiler looks there by itself, and has to do so after its own folders.
    flags = [flag for flag in flags if flag != "-isystem/usr/include"]
    failed = bool(missing) or len(existing) > MOST
    for name in missing:
        print(f"CONTRIBUTING.md does not name {name}")
    if len(existing) > MOST:
        print(f"these are {len(existing)}, not at most {MOST}")
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder)
        for part in ("core", "app"):
            shutil.copytree(root / part, copy / part)
        for name, text in NEW.items():
            (copy / name).write_text(text, encoding="utf-8")
        for name, change in PLACES.items():
            path = copy / name
            path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")
        for name in COMPILED:
            done = subprocess.run([compiler, "-std=c++20", "-fsyntax-only", f"-I{copy}", *flags, str(copy / name)],
                                  capture_output=True, text=True, check=False)
            print(f"{name}: {'compiles' if done.returncode == 0 else 'does not compile'}")
            if done.returncode != 0:
                print(done.stderr[:4000])
                failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

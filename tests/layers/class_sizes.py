#!/usr/bin/env python3
"""class_sizes.py ROOT: fails where a class of the window has more functions than LIMIT, or lets a command of undo be its
friend. A class that has more is doing more than one thing: see how StudyController is divided (ui/README.md).

Counted are all functions that a class declares in its header: public ones, private ones, signals and overrides.
"""
import pathlib
import re
import sys

LIMIT = 50
# Classes that are still to be divided, with the functions that they have: they may lose some, and must not get more.
TO_BE_DIVIDED = {"StudyState": 115, "MainWindow": 72, "AttentionPage": 87, "HeadGridView": 51}

SAMPLE = """
class Sample final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(Sample)
public:
    explicit Sample(QObject *parent = nullptr);
    ~Sample() override;
    int one() const { return m_one; } // not() counted
    template<typename T>
    T &two() const
    {
        return *static_cast<T *>(three({}));
    }
    using Callback = std::function<void(int)>;
    struct Inner
    {
        void notOurs();
    };

Q_SIGNALS:
    void four(const QString &text);

private:
    Page *three(const QString &id) const;
    int m_one = 0;
    std::function<void()> m_call;
    std::array<QAction *, 2> m_actions{};
};
"""


def without_noise(text):
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    text = re.sub(r"//[^\n]*", "", text)
    text = re.sub(r'"(\\.|[^"\\\n])*"', '""', text)
    text = re.sub(r"^\s*#[^\n]*$", "", text, flags=re.M)
    text = re.sub(r"\bQ_[A-Z_]+\s*\([^)]*\)", "", text)
    return re.sub(r"\b(public|private|protected|Q_SIGNALS|Q_SLOTS|Q_OBJECT|Q_GADGET)\b\s*:?", "", text)


def bodies(text):
    """(name, body) of every class and struct."""
    for found in re.finditer(r"\b(?:class|struct)\s+(\w+)[^;{()]*\{", text):
        depth, end = 1, found.end()
        while depth and end < len(text):
            depth += (text[end] == "{") - (text[end] == "}")
            end += 1
        yield found.group(1), text[found.end() : end - 1]


def is_function(declaration):
    declaration = declaration.strip()
    if re.match(r"(template\s*<.*?>\s*)?(class|struct|enum|union|friend|using|typedef|static_assert)\b", declaration, re.S):
        return False
    before = declaration.split("(")[0]
    if "(" not in declaration or "=" in before.replace("operator=", ""):
        return False
    return before.count("<") == before.count(">") or "operator" in before  # else the type of a member


def functions(body):
    found, depth, statement = [], 0, ""
    for character in body:
        if character == "{":
            depth += 1
            continue
        if character == "}":
            depth -= 1
            if depth == 0 and is_function(statement):
                found.append(statement)
            if depth == 0 and ("(" in statement or re.match(r"\s*(class|struct|enum|union)\b", statement)):
                statement = ""
            continue
        if depth > 0:
            continue
        if character == ";":
            if is_function(statement):
                found.append(statement)
            statement = ""
        else:
            statement += character
    return found


def main():
    counted = len(functions(dict(bodies(without_noise(SAMPLE)))["Sample"]))
    if counted != 6:
        sys.exit(f"class_sizes: counts {counted} functions in its sample, not 6")
    problems = []
    seen = set()
    for header in sorted(pathlib.Path(sys.argv[1], "ui").rglob("*.h")):
        text = without_noise(header.read_text(encoding="utf-8"))
        for name, body in bodies(text):
            count = len(functions(body))
            allowed = TO_BE_DIVIDED.get(name, LIMIT)
            if name in TO_BE_DIVIDED and count > LIMIT:
                seen.add(name)
            if count > allowed:
                problems.append(f"{header}: {name} has {count} functions, not {allowed} at most")
            if "-v" in sys.argv and count > 30:
                print(f"{count:4} {name}")
        for friend in re.findall(r"friend class (\w*Command)\b", text):
            problems.append(f"{header}: {friend} is a friend; give it what it needs")
    for name in sorted(set(TO_BE_DIVIDED) - seen):
        problems.append(f"{name} has {LIMIT} functions or fewer by now: strike it from TO_BE_DIVIDED")
    if problems:
        sys.exit("\n".join(problems))


if __name__ == "__main__":
    main()

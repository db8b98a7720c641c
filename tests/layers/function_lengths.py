#!/usr/bin/env python3
"""function_lengths.py ROOT: fails when a function of core, app or ui is longer than 60 lines, or when more than one in a
hundred is longer than 40. --list N names those of at least N lines.

A function's lines are those from the beginning of its declaration to its closing brace; what it defines inside, such as
lambdas, is a part of it. The files are read as text: comments, strings and preprocessor lines are taken out, and braces
say the rest."""
import pathlib
import re
import sys

MOST = 60
USUAL = 40  # ninety-nine in a hundred have no more
FOLDERS = ("core", "app", "ui")

TAKEN_OUT = re.compile(
    r'R"(?P<end>[^()\s\\]{0,16})\(.*?\)(?P=end)"'  # raw strings
    r"|//(?:[^\n\\]|\\.)*"
    r"|/\*.*?\*/"
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|(?<![0-9A-Fa-f])'(?:[^'\\\n]|\\.)+'"  # characters, not the marks between digits
    r"|(?m:^[ \t]*\#(?:[^\n\\]|\\\n|\\.)*)",
    re.S,
)
TYPE = re.compile(r"\b(class|struct|union|enum)\b")
NAME = re.compile(r"([~\w]+(?:<[^<>()]*>)?(?:::[~\w]+(?:<[^<>()]*>)?)*|operator[^\w\s(]+|operator\(\))\s*\($")


def without_texts(text):
    return TAKEN_OUT.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)


def outside(head):
    """The head of a declaration without what stands in its parentheses and angle brackets of templates."""
    depth, kept = 0, []
    for char in head:
        depth -= char == ")"
        if depth == 0:
            kept.append(char)
        depth += char == "("
    return "".join(kept)


def kind_of(head):
    """What begins with a brace behind `head`, where types and functions are declared."""
    plain = outside(head).strip()
    if re.match(r"(inline\s+)?namespace\b|extern\s*$", plain) or not plain:
        return "scope"
    without_template = re.sub(r"^(template\s*<.*?>\s*(requires\s*\(\)\s*)?)+(?=[\w:~])", "", plain, flags=re.S)
    if "()" not in without_template and TYPE.search(without_template) and "=" not in without_template:
        return "scope" if not re.search(r"\benum\b", without_template) else "other"
    if TYPE.match(without_template) and not re.search(r"\)\s*(const|noexcept|override|final|->.*)?\s*$", plain):
        return "scope"
    if "()" not in plain or re.search(r"=\s*(requires\b.*)?$", plain):
        return "other"
    # A constructor's members: what stands behind the colon ends with a name while its brace is a member's.
    colon = re.search(r"\)\s*(noexcept\s*)?:(?!:)", plain)
    if colon and re.search(r"[\w>]\s*$", plain) and not plain.endswith(")"):
        return "member"
    return "function"


def functions(path):
    """(name, first line, number of lines) of every function of a file."""
    text = without_texts(path.read_text(encoding="utf-8"))
    stack, start, position = [], 0, 0
    for match in re.finditer(r"[{};]", text):
        position = match.start()
        char = match.group()
        declares = all(kind == "scope" for kind, _ in stack)
        if char == "{":
            head = text[start:position]
            # A label such as "public:" is no part of what follows it.
            head = re.sub(r"^(\s*(public|private|protected|Q_SIGNALS|Q_OBJECT|(?:public|private|protected) Q_SLOTS)\s*:?(?!:))*",
                          lambda label: re.sub(r"[^\n]", " ", label.group()), head)
            kind = kind_of(head) if declares else "other"
            begin = start + len(head) - len(head.lstrip())
            stack.append((kind, (head, begin)))
            if kind == "scope":
                start = position + 1
        elif char == "}":
            if not stack:
                continue
            kind, (head, begin) = stack.pop()
            if kind == "function":
                plain = outside(head)
                named = NAME.search(plain[: plain.find("(") + 1].strip())
                first = text.count("\n", 0, begin) + 1
                yield (named.group(1) if named else "?", first, text.count("\n", 0, position) + 2 - first)
            if all(kind == "scope" for kind, _ in stack) and kind != "member" and not (
                    kind == "other" and re.search(r"[=(,]\s*$", outside(head))):
                start = position + 1
        elif declares:
            start = position + 1


def main():
    root = pathlib.Path(sys.argv[1])
    least = int(sys.argv[sys.argv.index("--list") + 1]) if "--list" in sys.argv else MOST + 1
    found = []
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".cpp", ".h"):
                found += [(lines, f"{path.relative_to(root)}: {name}", first) for name, first, lines in functions(path)]
    lengths = sorted(lines for lines, _, _ in found)
    usual = lengths[min(len(lengths) - 1, (len(lengths) * 99 + 99) // 100 - 1)]
    print(f"{len(found)} functions, the longest {lengths[-1]} lines, 99 in 100 at most {usual}")
    for lines, where, first in sorted(found, reverse=True):
        if lines >= least:
            print(f"{lines:4} {where} (line {first})")
    if "--list" in sys.argv:
        return 0
    return 1 if lengths[-1] > MOST or usual > USUAL else 0


if __name__ == "__main__":
    sys.exit(main())

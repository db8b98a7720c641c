#!/usr/bin/env python3
"""words.py ROOT: fails where a comment or a text of core or app begins with "Of", "That" or "What", which say nothing
without a noun before them ("Resamples of the bootstrap", not "Of the bootstrap"), and where a comment refers to a
document that is not in this repository. Questions may begin with "What"."""
import pathlib
import re
import sys

BEGINS = re.compile(r"^(Of|That|What) ")
COMMENT = re.compile(r"//[/!]?<? ?(.*)$")
TEXT = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
ELSEWHERE = re.compile(r"\b(METHODS|FORMATS|DESIGN|STYLE)(\.md| \d)")


# Those that are still to be put otherwise: "path: words". No line is added there.
LEFT = set((pathlib.Path(__file__).parent / "words_left.txt").read_text(encoding="utf-8").split("\n"))


def comment_of(line):
    """The comment of a line, and the code before it."""
    in_text = False
    for at, char in enumerate(line):
        if char == '"' and (at == 0 or line[at - 1] != "\\"):
            in_text = not in_text
        if not in_text and line.startswith("//", at):
            return COMMENT.match(line[at:]).group(1), line[:at]
    return None, line


def problems_of(path):
    before = None  # the comment that a line goes on with
    texts = []  # that code goes on with: their pieces are one text
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
        comment, code = comment_of(line)
        if comment is not None and BEGINS.match(comment) and (code.strip() or before is None):
            yield number, comment
        if comment is not None and ELSEWHERE.search(comment):
            yield number, comment
        before = comment if not code.strip() else None
        if code.strip() and not code.lstrip().startswith("#include"):
            found = TEXT.findall(code)
            goes_on = texts and code.lstrip().startswith('"')
            for place, text in enumerate(found):
                if BEGINS.match(text) and not text.rstrip().endswith("?") and not (goes_on and place == 0):
                    yield number, text
            texts = found if re.search(r'"\s*$', code) else []


def main():
    root = pathlib.Path(sys.argv[1])
    count = 0
    for folder in ("core", "app"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".cpp", ".h"):
                for number, words in problems_of(path):
                    if f"{path.relative_to(root)}: {words}" in LEFT:
                        continue
                    print(f"{path.relative_to(root)}:{number}: {words[:100]}")
                    count += 1
    print(f"{count} comments or texts without a noun")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())

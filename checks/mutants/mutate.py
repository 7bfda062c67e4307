# SPDX-License-Identifier: GPL-2.0
"""Mutants of a C file: the same text with one operator, constant or line changed.

There is no parser of C here. What is written in the style of the kernel can be told
apart by its tokens and blanks: an operator between two operands has blanks around it,
one before its operand has none after it. Whatever comes out wrong is refused by the
compiler.
"""
import collections
import re

# Where, as offsets in the text, and what is there instead.
Mutant = collections.namedtuple("Mutant", "function begin end text")

Token = collections.namedtuple("Token", "kind text begin end")

TOKENS = re.compile(r"""
    (?P<blank> \s+ | \\\n | /\*.*?\*/ | //[^\n]* )
  | (?P<directive> (?m:^)[ \t]*\#(?:[^\n\\]|\\.)* )
  | (?P<string> "(?:[^"\\]|\\.)*" | '(?:[^'\\]|\\.)*' )
  | (?P<number> (?:0[xX][0-9a-fA-F]+ | [0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?) [uUlLfF]* )
  | (?P<word> [A-Za-z_][A-Za-z_0-9]* )
  | (?P<operator> <<= | >>= | \.\.\. | -> | \+\+ | -- | << | >> | <= | >= | == | != | && | \|\|
      | [-+*/%&|^]= | . )
""", re.VERBOSE | re.DOTALL)

DEFINE = re.compile(r"[ \t]*#[ \t]*define[ \t]+(\w+)(?:\([^)]*\))?")

NUMBER = re.compile("(0[xX][0-9a-fA-F]+|.*?)([uUlLfF]*)$")

BETWEEN_OPERANDS = {
    "<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"],
    "==": ["!="], "!=": ["=="], "&&": ["||"], "||": ["&&"],
    "+": ["-"], "-": ["+"], "*": ["/"], "/": ["*"], "%": ["*"],
    "<<": [">>"], ">>": ["<<"], "&": ["|"], "|": ["&"], "^": ["&"],
    "+=": ["-="], "-=": ["+="], "*=": ["/="], "/=": ["*="], "%=": ["*="],
    "<<=": [">>="], ">>=": ["<<="], "&=": ["|="], "|=": ["&="], "^=": ["&="],
}
BEFORE_AN_OPERAND = {"!": "", "~": "", "-": ""}
BESIDE_AN_OPERAND = {"++": "--", "--": "++"}
WORDS = {"true": "false", "false": "true"}

OPENING = {"(": ")", "[": "]", "{": "}"}
CONTROL = {"if", "while", "for", "switch"}
JUMPS = {"return", "break", "continue", "goto"}
DECLARING = {"const", "static", "struct", "union", "enum", "unsigned", "signed", "char",
             "short", "int", "long", "double", "float", "bool"}


def tokenize(text, begin=0, end=None):
    """The tokens of a text, without blanks and comments."""
    return [Token(match.lastgroup, match[0], match.start(), match.end())
            for match in TOKENS.finditer(text, begin, len(text) if end is None else end)
            if match.lastgroup != "blank"]


def pairs_of(tokens):
    """Where the bracket that is opened by a token is closed."""
    pairs, opened = {}, []
    for i, token in enumerate(tokens):
        if token.text in OPENING:
            opened.append(i)
        elif token.text in OPENING.values():
            pairs[opened.pop()] = i
    return pairs


class Body:
    """Tokens that belong together: a function, a table or a macro."""

    def __init__(self, text, tokens, function, head=()):
        self.text, self.tokens, self.function = text, tokens, function
        self.is_function = bool(head) and head[-1].text == ")"
        self.returns_bool = any(token.text == "bool" for token in head[:3])
        self.pairs = pairs_of(tokens)
        self.mutants = []

    def replace(self, first, last, text):
        """Tokens first to last, both included."""
        self.mutants.append(Mutant(self.function, self.tokens[first].begin,
                                   self.tokens[last].end, text))

    def negate(self, first, last):
        """Tokens first to last are a condition."""
        if first <= last:
            begin, end = self.tokens[first].begin, self.tokens[last].end
            self.replace(first, last, "!(" + self.text[begin:end] + ")")

    def delete(self, first, last, rest=""):
        """No line gets another number by this."""
        begin, end = self.tokens[first].begin, self.tokens[last].end
        self.replace(first, last, rest + "\n" * self.text.count("\n", begin, end))

    def find(self, first, wanted):
        """The next token that is one of those, outside of brackets that open later."""
        i = first
        while i < len(self.tokens) and self.tokens[i].text not in wanted:
            i = self.pairs.get(i, i) + 1
        return i

    def blank_after(self, i):
        return self.text[self.tokens[i].end:self.tokens[i].end + 1].isspace()

    def blank_before(self, i):
        return self.text[self.tokens[i].begin - 1].isspace()

    def operator(self, i):
        text = self.tokens[i].text
        if text in BETWEEN_OPERANDS and self.blank_before(i) and self.blank_after(i):
            for other in BETWEEN_OPERANDS[text]:
                self.replace(i, i, other)
        elif text in BEFORE_AN_OPERAND and not self.blank_after(i):
            self.replace(i, i, BEFORE_AN_OPERAND[text])
        elif text in BESIDE_AN_OPERAND:
            self.replace(i, i, BESIDE_AN_OPERAND[text])
        elif text == "?":
            self.negate(self.begin_of_choice(i), i - 1)

    def begin_of_choice(self, question):
        """The first token of the condition of a ?:"""
        begin = question
        while begin:
            text = self.tokens[begin - 1].text
            if text in OPENING.values():
                begin = next(i for i, j in self.pairs.items() if j == begin - 1)
            elif text in OPENING or text in ("?", ":", ",", ";", "return", "=") or \
                    (text in BETWEEN_OPERANDS and text[-1] == "=" and
                     text not in ("<=", ">=", "==", "!=")):
                break
            else:
                begin -= 1
        return begin

    def number(self, i):
        digits, suffix = NUMBER.match(self.tokens[i].text).groups()
        if re.fullmatch("0[0-7]+", digits):
            others = ["0%o" % (int(digits, 8) + change) for change in (1, -1)]
        elif digits.isdigit() or digits[:2] in ("0x", "0X"):
            others = [str(int(digits, 0) + change) for change in (1, -1)]
        else:
            others = [str(float(digits) + change) for change in (1, -1)]
        for other in others:
            text = other + suffix
            self.replace(i, i, "(" + text + ")" if text[0] == "-" else text)

    def simple_mutants(self):
        for i, token in enumerate(self.tokens):
            if token.kind == "operator":
                self.operator(i)
            elif token.kind == "number":
                self.number(i)
            elif token.text in WORDS:
                self.replace(i, i, WORDS[token.text])

    def initializers(self):
        """Lines such as ".result = VERDICT_SKIP,"."""
        for i in range(1, len(self.tokens)):
            if self.tokens[i - 1].text not in ("{", ",") or \
                    self.tokens[i].text not in (".", "["):
                continue
            designated = self.pairs[i] if self.tokens[i].text == "[" else i + 1
            if self.tokens[designated + 1].text != "=":
                continue
            end = self.find(designated, (",", "}"))
            self.delete(i, end if self.tokens[end].text == "," else end - 1)

    def condition(self, i):
        """Of an if or a loop."""
        first, last = i + 2, self.pairs[i + 1] - 1
        if self.tokens[i].text == "for":
            first = self.find(first, (";",)) + 1
            last = self.find(first, (";",)) - 1
        if self.tokens[i].text != "switch":
            self.negate(first, last)

    def is_declaration(self, first):
        words = self.tokens[first:first + 3]
        return words[0].text in DECLARING or \
            (words[0].kind == "word" and
             (words[1].kind == "word" or
              (words[1].text == "*" and not self.blank_after(first + 1))))

    def statement(self, first, end):
        """One that ends with a semicolon."""
        text = self.tokens[first].text
        if text == "return" and self.returns_bool:
            self.negate(first + 1, end - 1)
        if text in JUMPS or not self.is_declaration(first):
            self.delete(first, end, ";")

    def statements(self):
        i = 0
        while i < len(self.tokens):
            token, after = self.tokens[i], self.tokens[i + 1:i + 2]
            bracket = self.pairs.get(i + 1, i) if token.kind == "word" else i
            if token.text in ("{", "}", ";", "else", "do"):
                pass
            elif token.text in CONTROL:
                self.condition(i)
                i = bracket
            elif token.text in ("case", "default"):
                i = self.find(i, (":",))
            elif token.kind == "word" and after[0].text == ":":
                i += 1
            elif after[0].text == "(" and (self.tokens[bracket + 1].text == "{" or
                                           self.tokens[bracket + 1].kind == "word"):
                # A macro that is a loop
                i = bracket
            else:
                end = self.find(i, (";",))
                self.statement(i, end)
                i = end
            i += 1

    def all(self):
        self.simple_mutants()
        self.initializers()
        if self.is_function:
            self.statements()
        return self.mutants


def name_of(head):
    """What a function, a table or a type is called, by the tokens before its brace."""
    text = " ".join(token.text for token in head)
    for pattern in (r"(\w+) \((?:[^()]|\([^()]*\))*\)$", r"(\w+) [(\[=]", r"(\w+)\W*$"):
        found = re.search(pattern, text)
        if found:
            return found[1]
    return ""


def bodies_of(text):
    """Its macros, and what is in braces outside of all others."""
    tokens = []
    for token in tokenize(text):
        macro = DEFINE.match(token.text) if token.kind == "directive" else None
        if macro:
            yield Body(text, tokenize(text, token.begin + macro.end(), token.end), macro[1])
        if token.kind != "directive":
            tokens.append(token)
    pairs, after, i = pairs_of(tokens), 0, 0
    while i < len(tokens):
        if tokens[i].text == "{":
            yield Body(text, tokens[i:pairs[i] + 1], name_of(tokens[after:i]), tokens[after:i])
            after = i = pairs[i]
        i += 1
        if tokens[i - 1].text in (";", "}"):
            after = i


def mutants_of(text):
    """All mutants of a file, by where they are."""
    mutants = [mutant for body in bodies_of(text) for mutant in body.all()]
    return sorted(mutants, key=lambda mutant: (mutant.begin, mutant.end))

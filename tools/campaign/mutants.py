"""Modules with one mistake in them.

A mutant is a module in which one thing is changed: a comparison, an operator, a constant, a
condition, a return value. Texts and types are left alone: no test compares those word by word. So
are changes that are the same as another one (a condition that is one comparison is turned round by
the comparison's own mutant), and how a class is stored (`LEFT_ALONE`).
"""

from __future__ import annotations

import ast
import copy
import hashlib
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from types import CodeType
from typing import Any, Final, NamedTuple

ROOT = Path(__file__).resolve().parents[2]

COMPARISONS: Final[dict[type[ast.cmpop], type[ast.cmpop]]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
OPERATORS: Final[dict[type[ast.operator], type[ast.operator]]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}


OPPOSITES: Final = (ast.Eq, ast.NotEq, ast.Is, ast.IsNot, ast.In, ast.NotIn)
"""Comparisons whose mutant is their opposite."""


LEFT_ALONE: Final = ("strict", "slots", "frozen", "kw_only")
"""Of `zip`: both are equally long. Of a class: how it is stored and made, which mypy checks."""


class Mutant(NamedTuple):
    """One change of a module."""

    module: str
    """Its file, below the package."""
    where: str
    """The function that it is in, as Python names it; empty outside of all functions."""
    line: int
    until: int
    """The first and last line of the statement that it is in, without the block below it."""
    name: str
    """Name in a list of mutants. Lines move; this does not."""
    node: ast.AST
    new: ast.AST


def _changes(node: ast.AST, parent: ast.AST | None) -> Iterator[tuple[str, ast.AST]]:
    """Yield the replacements of one node, each with its description."""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in COMPARISONS:
        other = copy.deepcopy(node)
        other.ops[0] = COMPARISONS[type(node.ops[0])]()
        yield f"{ast.unparse(node)} -> {ast.unparse(other)}", other
    elif isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        changed = copy.deepcopy(node)
        changed.op = OPERATORS[type(node.op)]()
        yield f"{ast.unparse(node)} -> {ast.unparse(changed)}", changed
    elif isinstance(node, ast.BoolOp):
        swapped = copy.deepcopy(node)
        swapped.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield f"{ast.unparse(node)} -> {ast.unparse(swapped)}", swapped
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield f"{ast.unparse(node)} -> {ast.unparse(node.operand)}", node.operand
    elif isinstance(node, ast.Constant) and isinstance(
        value := node.value, int
    ):  # or a truth value
        other_value = not value if isinstance(value, bool) else value + 1
        yield f"{_around(node, parent)}: {value} -> {other_value}", ast.Constant(other_value)
    elif isinstance(node, (ast.If, ast.IfExp, ast.While)):
        if _is_turned_by_itself(node.test):
            return
        turned = copy.deepcopy(node)
        turned.test = ast.UnaryOp(ast.Not(), turned.test)
        yield f"if {ast.unparse(node.test)} -> if not", turned
    elif isinstance(node, ast.Return) and node.value is not None:
        nothing = ast.Return(ast.Constant(None))
        if not (isinstance(node.value, ast.Constant) and node.value.value is None):
            yield f"return {ast.unparse(node.value)[:60]} -> return None", nothing
    elif isinstance(node, ast.Raise):
        yield f"{ast.unparse(node)[:60]} -> pass", ast.Pass()


def _is_turned_by_itself(test: ast.expr) -> bool:
    """Return True if the condition's own mutant is its opposite already."""
    return isinstance(test, ast.UnaryOp) or (
        isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], OPPOSITES)
    )


def _around(node: ast.AST, parent: ast.AST | None) -> str:
    """Describe the place of a constant."""
    if parent is None or isinstance(parent, ast.arguments):
        return ast.unparse(node)
    if isinstance(parent, ast.Dict) and node in parent.values:
        key = parent.keys[parent.values.index(node)]
        return f"{ast.unparse(key)}: {ast.unparse(node)}" if key else ast.unparse(node)
    return " ".join(ast.unparse(parent).split())[:72]


class _Replaces(ast.NodeTransformer):
    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self._old, self._new = old, new

    def visit(self, node: ast.AST) -> Any:
        if node is self._old:
            return ast.copy_location(self._new, node)
        return self.generic_visit(node)


class Source:
    """A module of ours, and all its mutants."""

    def __init__(self, module: str) -> None:
        self.module = module
        self.path = ROOT / "src" / "fairground" / module
        text = self.path.read_text()
        self._tree = ast.parse(text)
        self.digest = hashlib.sha256(text.encode()).hexdigest()[:16]
        self._parents = {
            child: node for node in ast.walk(self._tree) for child in ast.iter_child_nodes(node)
        }
        self.mutants = list(self._made())

    @property
    def name(self) -> str:
        """As it is imported."""
        return "fairground." + self.module.removesuffix(".py").replace("/", ".")

    def code(self, mutant: Mutant) -> CodeType:
        """The whole module with this change. (Once: the tree is changed by it.)"""
        changed = _Replaces(mutant.node, mutant.new).visit(self._tree)
        code: CodeType = compile(ast.fix_missing_locations(changed), str(self.path), "exec")
        return code

    def _made(self) -> Iterator[Mutant]:
        names: Counter[str] = Counter()
        for node in ast.walk(self._tree):
            if self._is_told(node):
                continue
            for told, new in _changes(node, self._parents.get(node)):
                function = self._function(node)
                name = f"{self.module} {function or 'the module'}: {told}"
                names[name] += 1
                if names[name] > 1:
                    name += f" ({names[name]})"
                yield Mutant(self.module, function, *self._lines(node), name, node, new)

    def _up(self, node: ast.AST) -> Iterator[ast.AST]:
        """It, and all that it is in."""
        up: ast.AST | None = node
        while up is not None:
            yield up
            up = self._parents.get(up)

    def _function(self, node: ast.AST) -> str:
        """The outermost function whose body it is in, by its qualified name."""
        chain = list(self._up(node))[::-1]
        names: list[str] = []
        for outer, inner in pairwise(chain):
            if isinstance(outer, ast.ClassDef):
                names.append(outer.name)
            elif isinstance(outer, (ast.FunctionDef, ast.AsyncFunctionDef)):
                is_in_body = inner in outer.body
                return ".".join([*names, outer.name]) if is_in_body else ""
            elif isinstance(outer, ast.Lambda):
                return ""
        return ""

    def _lines(self, node: ast.AST) -> tuple[int, int]:
        statement = next(one for one in self._up(node) if isinstance(one, ast.stmt))
        body = getattr(statement, "body", None)
        last = body[0].lineno - 1 if body else statement.end_lineno
        return statement.lineno, max(statement.lineno, last or 0)

    def _is_told(self, node: ast.AST) -> bool:
        """Return True for part of a text or a type, which no test compares word by word."""
        for up in self._up(node):
            parent = self._parents.get(up)
            if up in (getattr(parent, "returns", None), getattr(parent, "annotation", None)):
                return True
            if isinstance(up, ast.JoinedStr) or (isinstance(up, ast.Raise) and up is not node):
                return True
            if isinstance(up, ast.keyword) and up.arg in LEFT_ALONE:
                return True
            if isinstance(up, ast.If) and ast.unparse(up.test) == "TYPE_CHECKING":
                return True
        return False


def function_in(code: CodeType, name: str) -> CodeType | None:
    """The code of a function in that of its module; ``None`` if there is not exactly one."""
    found, left = [], [code]
    while left:
        for inner in left.pop().co_consts:
            if isinstance(inner, CodeType):
                if inner.co_qualname == name:
                    found.append(inner)
                left.append(inner)
    return found[0] if len(found) == 1 else None

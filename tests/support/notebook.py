# SPDX-License-Identifier: MIT
"""Runs a notebook's code cells in plain Python: notebook.py NOTEBOOK. What a cell's last expression
shows is asked for as a notebook would. Cells tagged "plot" are left out, and said, where matplotlib is
not installed."""

import ast
import importlib.util
import json
import sys


def run(source, scope):
    tree = ast.parse(source)
    last = tree.body[-1] if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    if last is not None:
        tree.body.pop()
    exec(compile(tree, "cell", "exec"), scope)
    if last is None:
        return
    value = eval(compile(ast.Expression(last.value), "cell", "eval"), scope)
    show = getattr(value, "_repr_html_", None)
    print(show() if show else repr(value))


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        notebook = json.load(file)
    plots = importlib.util.find_spec("matplotlib") is not None
    if plots:
        import matplotlib

        matplotlib.use("Agg")
    scope = {"__name__": "__main__"}
    done = left = 0
    for number, cell in enumerate(notebook["cells"]):
        if cell["cell_type"] != "code":
            continue
        if not plots and "plot" in cell["metadata"].get("tags", []):
            left += 1
            continue
        try:
            run("".join(cell["source"]), scope)
        except Exception as error:
            print(f"cell {number}: {type(error).__name__}: {error}", file=sys.stderr)
            return 1
        done += 1
    print(f"{done} cells run, {left} plots left out")
    return 0


sys.exit(main())

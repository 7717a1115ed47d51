# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Countersign authors

"""Draws the growth curves as an SVG picture."""

import html
import math

WIDTH, HEIGHT, LEFT, TOP, GAP = 250, 180, 44, 46, 60
COLOURS = ("#0a7d4f", "#b4540a", "#5566c8")
STYLE = """
  text { font: 12px system-ui, sans-serif; fill: #222 }
  .grid { stroke: #ccc } .line { fill: none; stroke-width: 2 }
  @media (prefers-color-scheme: dark) { text { fill: #ddd } .grid { stroke: #444 } }
"""


def draw(file, panels):
    """Writes an SVG; a panel is a title, the steps (powers of ten), and a dictionary of names and values."""
    top = 10 * math.ceil(max(value for _, _, curves in panels for values in curves.values() for value in values) / 10)
    width = LEFT + len(panels) * (WIDTH + GAP)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {TOP + HEIGHT + 40}" role="img">',
        f"<title>CPU time of a small request in microseconds</title><style>{STYLE}</style>",
    ]
    names = list(dict.fromkeys(name for _, _, curves in panels for name in curves))
    for number, name in enumerate(names):
        x = LEFT + number * 150
        parts.append(f'<path class="line" stroke="{COLOURS[number % 3]}" d="M{x} 14h24"/>')
        parts.append(f'<text x="{x + 30}" y="18">{html.escape(name)}</text>')
    for number, (title, steps, curves) in enumerate(panels):
        left = LEFT + number * (WIDTH + GAP)
        parts.append(f'<text x="{left}" y="{TOP - 8}">{html.escape(title.strip())}: CPU µs a request</text>')
        for line in range(5):
            y = TOP + HEIGHT - HEIGHT * line / 4
            parts.append(f'<path class="grid" d="M{left} {y:.0f}h{WIDTH}"/>')
            parts.append(f'<text x="{left - 6}" y="{y + 4:.0f}" text-anchor="end">{top * line / 4:g}</text>')

        def x_of(step):
            return left + WIDTH * math.log(step / steps[0]) / math.log(steps[-1] / steps[0])

        for step in steps:
            parts.append(f'<text x="{x_of(step):.0f}" y="{TOP + HEIGHT + 18}" text-anchor="middle">{step:,}</text>')
        for name, values in curves.items():
            points = " ".join(
                f"{x_of(step):.1f},{TOP + HEIGHT - HEIGHT * value / top:.1f}" for step, value in zip(steps, values))
            parts.append(f'<polyline class="line" stroke="{COLOURS[names.index(name) % 3]}" points="{points}"/>')
    with open(file, "w") as picture:
        picture.write("\n".join(parts) + "\n</svg>\n")

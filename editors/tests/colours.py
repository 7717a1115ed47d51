# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Countersign authors

"""Checks the contrast of every group of a color scheme."""

import re

from results import SAMPLES, expect, rows

# The contrast of text (WCAG 2.2 success criterion 1.4.3).
ENOUGH = 4.5
# The parts of the screen without text.
WITHOUT_TEXT = {"PmenuSbar", "PmenuThumb", "FloatShadow", "FloatShadowThrough"}


def luminance(colour):
    def linear(part):
        part /= 255
        return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4

    red, green, blue = (linear(part) for part in colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    """Returns the contrast ratio of WCAG 2.2."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def rgb(colour):
    """Returns the components of #rrggbb or of one of xterm's 256 colors from 16; None for other values."""
    if re.fullmatch(r"#[0-9a-fA-F]{6}", colour):
        return tuple(int(colour[i:i + 2], 16) for i in (1, 3, 5))
    if not colour.isdigit() or int(colour) < 16:
        return None
    number = int(colour)
    if number >= 232:
        return (8 + 10 * (number - 232),) * 3
    steps = (0, 95, 135, 175, 215, 255)
    return tuple(steps[(number - 16) // step % 6] for step in (36, 6, 1))


def check_colours(editor, scheme, colours):
    """Checks every group on its own background, and groups of file text on every background that other groups can add."""
    expect(colours.pop("name") == scheme, f"{editor}: name of {scheme}")
    expect(colours.pop("background") == scheme.split("-")[1], f"{editor}: background of {scheme}")
    for mode, at in (("true colour", 1), ("256 colours", 4)):
        normal = [rgb(colour) for colour in colours["Normal"][at:at + 2]]
        under = {"Normal": normal[1]}
        text = {}
        for group, look in colours.items():
            if group in WITHOUT_TEXT:
                continue
            front, back, reverse = look[at:at + 3]
            front_colour, back_colour = rgb(front) or (None if front else normal[0]), rgb(back) or (
                None if back else normal[1])
            if front_colour is None or back_colour is None:
                expect(False, f"{editor}: {scheme} {mode}: {group} has colours of the scheme", look)
                continue
            if reverse == "1":
                front_colour, back_colour = back_colour, front_colour
            if not front and back:
                under[group] = back_colour
            elif front and not back and look[0] == group:
                text[group] = front_colour
            ratio = contrast(front_colour, back_colour)
            expect(ratio >= ENOUGH, f"{editor}: {scheme} {mode}: {group}", f"{ratio:.2f} {look}")
        lowest = 21.0
        for group, colour in text.items():
            ratio, below = min((contrast(colour, back), below) for below, back in under.items())
            lowest = min(lowest, ratio)
            expect(ratio >= ENOUGH, f"{editor}: {scheme} {mode}: {group} on {below}", f"{ratio:.2f}")
        print(f"{editor}: {scheme}, {mode}: {len(colours)} groups, lowest contrast of text {lowest:.2f}")
    bare = {row[3] for row in rows("groups.tsv")} - {group for group, look in colours.items() if look[1] and look[4]}
    expect(not bare, f"{editor}: {scheme} colours the groups of our files", bare)


def ask_colours(editor):
    for scheme in ("countersign-dark", "countersign-light"):
        editor.ask(lambda colours, scheme=scheme: check_colours(editor.name, scheme, colours), "Colours", scheme,
                   [str(SAMPLES / name) for name in ("trust-policy.yaml", "sample.netrc", "chain.pem")])

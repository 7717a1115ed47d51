# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Countersign authors

"""axe-core, which finds what a page lacks for screen readers and keyboards."""

import pathlib
import subprocess

FOLDER = pathlib.Path(__file__).resolve().parents[2] / ".tools/axe"
# A wheel that carries axe-core 4.12.1. What it depends on, a browser among it, is not needed.
PACKAGE = "axe-playwright-python==0.1.8"


def script():
    """Gives the path of its script, which pip installs the first time; None where that fails."""
    if not any(FOLDER.rglob("axe.min.js")):
        subprocess.run(("python3", "-m", "pip", "install", "--quiet", "--no-deps", "--target", FOLDER, PACKAGE))
    return next(FOLDER.rglob("axe.min.js"), None)

# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Countersign authors

"""Provides axe-core, which finds accessibility problems of a page for screen readers and keyboards."""

import pathlib
import subprocess

FOLDER = pathlib.Path(__file__).resolve().parents[2] / ".tools/axe"
# A wheel that contains axe-core 4.12.1. Its dependencies, which include a browser, are not needed.
PACKAGE = "axe-playwright-python==0.1.8"


def script():
    """Returns the path of the script, which pip installs the first time; None if the installation fails."""
    if not any(FOLDER.rglob("axe.min.js")):
        subprocess.run(("python3", "-m", "pip", "install", "--quiet", "--no-deps", "--target", FOLDER, PACKAGE))
    return next(FOLDER.rglob("axe.min.js"), None)

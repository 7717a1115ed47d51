// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The colours of text on a terminal; ``Console/usesColor`` tells whether they are used.
enum Ink: String {
    case red = "\u{1B}[31m"
    case green = "\u{1B}[32m"
    case yellow = "\u{1B}[33m"

    func paint(_ text: String) -> String { rawValue + text + "\u{1B}[0m" }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations

extension String {
    /// The text as the contents of an element (XML 1.0 section 2.4), in printable characters.
    package var escapedForXML: String {
        printable.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension String {
    /// The text in exactly so many columns.
    package func column(_ width: Int) -> String {
        count <= width ? self + String(repeating: " ", count: width - count) : prefix(max(width - 1, 0)) + "…"
    }
}

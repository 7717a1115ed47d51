// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A file of Swift.
package struct GeneratedFile: Equatable, Sendable {
    /// Without a folder, such as `Bank.swift`.
    package let name: String
    package let text: String

    /// How each file begins, by which it is known.
    package static let mark = "// Made by countersign"

    package init(name: String, text: String) { (self.name, self.text) = (name, text) }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The properties of a declaration while they are collected.
struct StructureBuilder {
    /// The declaration's number.
    let number: Int
    /// The names of its properties.
    var names: NameScope
    var members: [Structure.Member] = []
}

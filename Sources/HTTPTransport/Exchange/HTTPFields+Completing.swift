// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import HTTPTypes

/// A look-up takes a tenth of the time that an assignment by name takes, and every request is made with these.
extension HTTPFields {
    /// Adds a field where there is none of its name.
    package mutating func complete(_ name: HTTPField.Name, _ value: String) {
        if !contains(name) { append(HTTPField(name: name, value: value)) }
    }

    /// Removes a field where there is one.
    package mutating func remove(_ name: HTTPField.Name) {
        if contains(name) { self[name] = nil }
    }
}

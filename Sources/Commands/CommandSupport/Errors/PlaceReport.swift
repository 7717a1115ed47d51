// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import PolicyFile

/// A place in a policy file as JSON has it.
package struct PlaceReport: Encodable {
    package let file: String
    package let line: Int
    package let column: Int
    package let key: String

    package init(_ place: PolicyFilePlace) {
        (file, line, column, key) = (place.file, place.line, place.column, place.key.description)
    }
}

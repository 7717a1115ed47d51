// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import PolicyFile

/// A place in a policy file as JSON has it.
struct PlaceReport: Encodable {
    let file: String
    let line: Int
    let column: Int
    let key: String

    init(_ place: PolicyFilePlace) {
        (file, line, column, key) = (place.file, place.line, place.column, place.key.description)
    }
}

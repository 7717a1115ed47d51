// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import PolicyFile

/// What `trust check-policy --json` prints.
struct PolicyReport: Encodable {
    let domains: [PolicyRow]
    let warnings: [WarningReport]
}

struct WarningReport: Encodable {
    let message: String
    let place: PlaceReport

    init(_ warning: PolicyFileWarning) {
        message = warning.reason.text.printable
        place = PlaceReport(warning.place)
    }
}

struct PlaceReport: Encodable {
    let file: String
    let line: Int
    let column: Int
    let key: String

    init(_ place: PolicyFilePlace) {
        (file, line, column, key) = (place.file, place.line, place.column, place.key.description)
    }
}

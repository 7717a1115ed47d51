// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations
import CertificateTrust
import CommandSupport
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
        message = warning.message + " " + warning.advice
        place = PlaceReport(warning.place)
    }
}

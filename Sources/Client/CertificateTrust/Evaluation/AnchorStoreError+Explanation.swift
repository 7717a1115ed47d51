// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ErrorExplanations

extension AnchorStoreError: CataloguedError {
    /// The explanation: what happened, why, and what to try.
    public var explanation: ErrorExplanation {
        switch self {
        case .noCertificates:
            ErrorExplanation(
                "anchor.no-certificates", "The bundle of anchors holds no certificate.",
                reason: "Without an anchor no server would be trusted.",
                advice: "Give PEM with at least one block that begins with -----BEGIN CERTIFICATE-----.")
        }
    }

    package static var examples: [Self] { [.noCertificates] }
}

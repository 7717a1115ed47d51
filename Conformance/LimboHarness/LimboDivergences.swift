// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The cases of x509-limbo and of PKITS that do not come out as expected, and why.
enum LimboDivergences {
    static let reasons: [String: String] = [
        "pkits::section1::4.1.4": "DSA keys are not supported",
        "pkits::section1::4.1.5": "DSA keys are not supported",
    ]
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The cases of x509-limbo that do not come out as expected, and why.
enum LimboDivergences {
    static let reasons: [String: String] = [:]
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The reason for which a measurement is not possible.
enum BenchError: Error {
    /// A contender did not trust the chain.
    case notTrusted(by: String)
    case badSignature
    case unexpectedKey
    case noFile
}

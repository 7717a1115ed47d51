// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Why there is nothing to measure.
enum BenchError: Error {
    /// What is measured must also be right.
    case notTrusted(by: String)
    case badSignature
    case unexpectedKey
    case noFile
}

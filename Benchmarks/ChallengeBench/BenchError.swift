// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Why there is nothing to measure.
enum BenchError: Error {
    case notAnswered(String)
}

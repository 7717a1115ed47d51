// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Lets requests in, or says how to ask.
protocol LabGate: Sendable {
    /// Judges the value of a request's credential field; gives the challenge to send, or `nil` where the request may pass.
    func challenge(to answer: String?, method: String, target: String, body: [UInt8]) -> String?

    /// What is said to a request that passed (RFC 7615); `nil` for nothing.
    func information(about answer: String, responseBody: [UInt8]) -> String?
}

extension LabGate {
    func information(about answer: String, responseBody: [UInt8]) -> String? { nil }
}

/// Compares texts in a time that depends on their lengths only.
func constantTimeEqual(_ left: String, _ right: String) -> Bool {
    let (left, right) = (Array(left.utf8), Array(right.utf8))
    guard left.count == right.count else { return false }
    return zip(left, right).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
}

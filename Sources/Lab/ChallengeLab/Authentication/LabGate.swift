// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Lets requests in, or says how to ask: one gate a server, one verifier a connection.
package protocol LabGate: Sendable {
    /// Who stands guard over a new connection.
    func verifier() -> any LabVerifier

    /// With what the bodies of requests are hashed before they are judged; `nil` where they are not looked at.
    var bodyHash: DigestHash? { get }
}

extension LabGate {
    package var bodyHash: DigestHash? { nil }
}

/// Judges the requests of one connection, in their order.
package protocol LabVerifier {
    /// Judges the value of a request's credential field.
    ///
    /// - Returns: The refusal; `nil` where the request may pass.
    mutating func judge(_ answer: String?, of request: LabRequest) -> LabRefusal?

    /// The value of `Authentication-Info` for a request that passed (RFC 7615); `nil` for none.
    func information(about answer: String, responseBody: [UInt8]) -> String?
}

/// A 401 or a 407.
package struct LabRefusal: Hashable, Sendable {
    /// What becomes of the connection.
    package enum Ending: Hashable, Sendable {
        case open
        case closed
    }

    let challenge: String
    var ending = Ending.open
    /// Whether the body comes in chunks.
    var isChunked = false
}

/// Compares texts in a time that depends on their lengths only.
func constantTimeEqual(_ left: String, _ right: String) -> Bool {
    constantTimeEqual(Array(left.utf8), Array(right.utf8))
}

/// Compares bytes in a time that depends on their numbers only.
func constantTimeEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard left.count == right.count else { return false }
    return zip(left, right).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes
import NIOCore

/// The authentication of a server's clients.
///
/// A server has one gate, and each connection has one verifier.
package protocol LabGate: Sendable {
    /// Returns the verifier of a new connection.
    func verifier() -> any LabVerifier

    /// The hash function for request bodies, which are hashed before verification; `nil` if the gate does
    /// not check bodies.
    var bodyHash: DigestHash? { get }
}

extension LabGate {
    package var bodyHash: DigestHash? { nil }
}

/// A verifier of the requests on one connection, in order.
package protocol LabVerifier {
    /// Verifies the credentials of a request.
    ///
    /// - Returns: The refusal; `nil` if the credentials are accepted.
    mutating func verify(_ answer: String?, of request: LabRequest) -> LabRefusal?

    /// Returns the `Authentication-Info` value for an accepted request (RFC 7615); `nil` for none.
    func information(about answer: String, responseBody: [UInt8]) -> String?
}

/// A 401 or 407 response.
package struct LabRefusal: Hashable, Sendable {
    /// The state of the connection after the response.
    package enum Termination: Hashable, Sendable {
        case open
        case closed
    }

    let challenge: String
    var termination = Termination.open
    /// Whether the response body has the chunked transfer coding.
    var isChunked = false
}

/// Compares texts in a time that depends only on their lengths.
func constantTimeEqual(_ left: String, _ right: String) -> Bool {
    constantTimeEqual(Array(left.utf8), Array(right.utf8))
}

/// Compares byte arrays in a time that depends only on their lengths.
func constantTimeEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard left.count == right.count else { return false }
    return zip(left, right).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
}

/// A gate that verifies each request separately, regardless of the connection.
protocol RequestGate: LabGate {
    /// Verifies the credentials of a request. Returns the challenge to send, or `nil` if the credentials are accepted.
    func challenge(to answer: String?, method: String, target: String, body: LabBody) -> String?

    /// Returns the `Authentication-Info` value for an accepted request (RFC 7615); `nil` for none.
    func information(about answer: String, responseBody: [UInt8]) -> String?
}

extension RequestGate {
    package func information(about answer: String, responseBody: [UInt8]) -> String? { nil }

    package func verifier() -> any LabVerifier { RequestVerifier(gate: self) }
}

/// A verifier without a state for the connection.
private struct RequestVerifier<Gate: RequestGate>: LabVerifier {
    let gate: Gate

    func verify(_ answer: String?, of request: LabRequest) -> LabRefusal? {
        let challenge = gate.challenge(
            to: answer, method: request.head.method.rawValue, target: request.target, body: request.body)
        // Like many proxies, this one closes the connection after refusing a CONNECT; gates that authenticate
        // connections cannot.
        return challenge.map {
            LabRefusal(challenge: $0, termination: request.head.method == .connect ? .closed : .open)
        }
    }

    func information(about answer: String, responseBody: [UInt8]) -> String? {
        gate.information(about: answer, responseBody: responseBody)
    }
}

extension LabBody {
    /// Creates a complete body, hashed with the gate's ``LabGate/bodyHash``.
    package init(_ bytes: [UInt8], hashedFor gate: any LabGate) {
        self.init(Use(isGathered: true, hash: gate.bodyHash))
        append(ByteBuffer(bytes: bytes))
    }
}

/// The role of a server: origin or proxy (RFC 9110 sections 11.6 and 11.7).
enum LabRole: Sendable {
    case origin
    case proxy

    var refusal: HTTPResponse.Status { self == .proxy ? .proxyAuthenticationRequired : .unauthorized }
    var challengeField: HTTPField.Name { self == .proxy ? .proxyAuthenticate : .wwwAuthenticate }
    var answerField: HTTPField.Name { self == .proxy ? .proxyAuthorization : .authorization }
}

/// A user name and a password that a server of the lab accepts.
///
/// They are not secret.
public struct LabCredentials: Hashable, Sendable {
    /// The user name.
    public let user: String
    /// The password.
    public let password: String

    package init(user: String, password: String) {
        self.user = user
        self.password = password
    }

    /// The credentials that the lab's servers and proxies accept.
    package static let lab = Self(user: "lab", password: "countersign")

    /// The token that the lab's Bearer server accepts.
    static let token = "countersign-lab-token"
}

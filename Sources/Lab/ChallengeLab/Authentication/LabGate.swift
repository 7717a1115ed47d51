// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes
import NIOCore

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

/// A gate that judges each request by itself, whatever connection it comes over.
protocol RequestGate: LabGate {
    /// Judges the value of a request's credential field; gives the challenge to send, or `nil` where the request may pass.
    func challenge(to answer: String?, method: String, target: String, body: LabBody) -> String?

    /// The value of `Authentication-Info` for a request that passed (RFC 7615); `nil` for none.
    func information(about answer: String, responseBody: [UInt8]) -> String?
}

extension RequestGate {
    package func information(about answer: String, responseBody: [UInt8]) -> String? { nil }

    package func verifier() -> any LabVerifier { RequestVerifier(gate: self) }
}

/// Remembers nothing of a connection.
private struct RequestVerifier<Gate: RequestGate>: LabVerifier {
    let gate: Gate

    func judge(_ answer: String?, of request: LabRequest) -> LabRefusal? {
        let challenge = gate.challenge(
            to: answer, method: request.head.method.rawValue, target: request.target, body: request.body)
        // Like many proxies, this one hangs up on a CONNECT that it refuses; connection-bound gates cannot.
        return challenge.map { LabRefusal(challenge: $0, ending: request.head.method == .connect ? .closed : .open) }
    }

    func information(about answer: String, responseBody: [UInt8]) -> String? {
        gate.information(about: answer, responseBody: responseBody)
    }
}

extension LabBody {
    /// A body that is there already, hashed as a gate asks for it (``LabGate/bodyHash``).
    package init(_ bytes: [UInt8], hashedFor gate: any LabGate) {
        self.init(Use(isGathered: true, hash: gate.bodyHash))
        append(ByteBuffer(bytes: bytes))
    }
}

/// Which side of the way a server stands on (RFC 9110 sections 11.6 and 11.7).
enum LabRole: Sendable {
    case origin
    case proxy

    var refusal: HTTPResponse.Status { self == .proxy ? .proxyAuthenticationRequired : .unauthorized }
    var challengeField: HTTPField.Name { self == .proxy ? .proxyAuthenticate : .wwwAuthenticate }
    var answerField: HTTPField.Name { self == .proxy ? .proxyAuthorization : .authorization }
}

/// A user and a password that a server of the lab accepts; they are no secret.
public struct LabCredentials: Hashable, Sendable {
    /// The user name.
    public let user: String
    /// The password.
    public let password: String

    package init(user: String, password: String) {
        self.user = user
        self.password = password
    }

    /// The pair that the lab's servers and proxies let in.
    package static let lab = Self(user: "lab", password: "countersign")

    /// The token that the lab's Bearer server lets in.
    static let token = "countersign-lab-token"
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes
import NIOCore

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

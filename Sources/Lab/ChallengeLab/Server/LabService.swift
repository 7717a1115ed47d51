// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes
import NIOConcurrencyHelpers
import NIOCore

/// The service of a server: its authentication and its responses.
final class LabService: Sendable {
    let role: LabRole
    let isSecure: Bool
    let gate: (any LabGate)?
    private let gathersBodies: Bool
    let reply: @Sendable (LabRequest, _ connection: Int) -> LabReply

    private let counts = NIOLockedValueBox((requests: 0, connections: 0))

    /// The number of requests, including those that the gate refused.
    var requestCount: Int { counts.withLockedValue { $0.requests } }
    /// The number of accepted connections, including those without a request.
    var connectionCount: Int { counts.withLockedValue { $0.connections } }

    init(
        role: LabRole = .origin, isSecure: Bool, gate: (any LabGate)? = nil, gathersBodies: Bool = false,
        reply: @escaping @Sendable (LabRequest, _ connection: Int) -> LabReply
    ) {
        self.role = role
        self.isSecure = isSecure
        self.gate = gate
        self.gathersBodies = gathersBodies
        self.reply = reply
    }

    /// Whether the gate needs only the header block of a request, so that a proxy can forward the body while it
    /// arrives.
    var needsOnlyHeads: Bool { gate?.bodyHash == nil }

    /// Returns an empty body, which collects the received bytes if necessary.
    ///
    /// A proxy whose gate hashes bodies must buffer a body until the request is accepted.
    func newBody() -> LabBody {
        let isBuffered = gathersBodies || role == .proxy && !needsOnlyHeads
        return LabBody(LabBody.Use(isGathered: isBuffered, hash: gate?.bodyHash))
    }

    /// Returns the service of a proxy to loopback.
    static func proxy(isSecure: Bool, gate: (any LabGate)?) -> LabService {
        LabService(role: .proxy, isSecure: isSecure, gate: gate) { request, _ in LabProxy.reply(to: request) }
    }

    /// Returns the request handler of a new connection.
    func requestHandler() -> LabRequestHandler {
        let number = counts.withLockedValue { counts in
            counts.connections += 1
            return counts.connections
        }
        return LabRequestHandler(service: self, connection: number, verifier: gate?.verifier())
    }

    func noteRequest() {
        counts.withLockedValue { $0.requests += 1 }
    }
}

/// The request handler of one connection, which determines the responses.
struct LabRequestHandler {
    let service: LabService
    /// The number of the connection, counted from 1.
    let connection: Int
    var verifier: (any LabVerifier)?

    private var role: LabRole { service.role }

    mutating func reply(to request: LabRequest) -> LabReply {
        service.noteRequest()
        let answer = request.head.headerFields[role.answerField]
        if let refusal = verifier?.verify(answer, of: request) { return reply(refusal) }
        return addingAuthenticationInfo(service.reply(request, connection), to: request, with: answer)
    }

    private func reply(_ refusal: LabRefusal) -> LabReply {
        var fields: HTTPFields = [role.challengeField: refusal.challenge]
        if refusal.termination == .closed { fields[.connection] = "close" }
        if refusal.isChunked { fields[.transferEncoding] = "chunked" }
        return .text("Unauthorized\n", status: role.refusal, fields: fields)
    }

    /// Adds the gate's `Authentication-Info` field to the response to an accepted request.
    private func addingAuthenticationInfo(_ reply: LabReply, to request: LabRequest, with answer: String?) -> LabReply {
        guard role == .origin, case .message(var response, let bytes) = reply, let answer,
            let information = verifier?.information(
                about: answer, responseBody: request.head.method == .head ? [] : bytes)
        else { return reply }
        response.headerFields[.authenticationInfo] = information
        return .message(response, bytes)
    }
}

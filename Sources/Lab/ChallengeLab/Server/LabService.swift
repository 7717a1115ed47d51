// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes
import NIOConcurrencyHelpers
import NIOCore

/// What one server of the lab is: whom it lets in, and what it replies to those.
final class LabService: Sendable {
    let role: LabRole
    let isSecure: Bool
    let gate: (any LabGate)?
    private let gathersBodies: Bool
    let reply: @Sendable (LabRequest, _ connection: Int) -> LabReply

    private let counts = NIOLockedValueBox((requests: 0, connections: 0))

    /// Those that the gate refused included.
    var requestCount: Int { counts.withLockedValue { $0.requests } }
    /// Those over which nothing came included.
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

    /// Whether a request is judged by its head alone, so that a proxy can pass its body on while it arrives.
    var judgesHeadsAlone: Bool { gate?.bodyHash == nil }

    /// An empty body, to which what arrives is added.
    ///
    /// A proxy whose gate hashes bodies has to keep one until it is let in.
    func newBody() -> LabBody {
        let isKept = gathersBodies || role == .proxy && !judgesHeadsAlone
        return LabBody(LabBody.Use(isGathered: isKept, hash: gate?.bodyHash))
    }

    /// A proxy to loopback.
    static func proxy(isSecure: Bool, gate: (any LabGate)?) -> LabService {
        LabService(role: .proxy, isSecure: isSecure, gate: gate) { request, _ in LabProxy.reply(to: request) }
    }

    /// Someone to answer a new connection's requests.
    func attendant() -> LabAttendant {
        let number = counts.withLockedValue { counts in
            counts.connections += 1
            return counts.connections
        }
        return LabAttendant(service: self, connection: number, verifier: gate?.verifier())
    }

    func noteRequest() {
        counts.withLockedValue { $0.requests += 1 }
    }
}

/// Decides on the replies to the requests of one connection.
struct LabAttendant {
    let service: LabService
    /// The first is 1.
    let connection: Int
    var verifier: (any LabVerifier)?

    private var role: LabRole { service.role }

    mutating func reply(to request: LabRequest) -> LabReply {
        service.noteRequest()
        let answer = request.head.headerFields[role.answerField]
        if let refusal = verifier?.judge(answer, of: request) { return reply(refusal) }
        return informed(service.reply(request, connection), to: request, with: answer)
    }

    private func reply(_ refusal: LabRefusal) -> LabReply {
        var fields: HTTPFields = [role.challengeField: refusal.challenge]
        if refusal.ending == .closed { fields[.connection] = "close" }
        if refusal.isChunked { fields[.transferEncoding] = "chunked" }
        return .text("Who are you?\n", status: role.refusal, fields: fields)
    }

    /// Adds what the gate says to those that it let in.
    private func informed(_ reply: LabReply, to request: LabRequest, with answer: String?) -> LabReply {
        guard role == .origin, case .message(var response, let bytes) = reply, let answer,
            let information = verifier?.information(
                about: answer, responseBody: request.head.method == .head ? [] : bytes)
        else { return reply }
        response.headerFields[.authenticationInfo] = information
        return .message(response, bytes)
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes
import NIOCore

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

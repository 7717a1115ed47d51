// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes
import NIOConcurrencyHelpers
import NIOCore
import SwiftASN1

/// Decides on the replies of one server of the lab.
final class LabService: LabAnswering {
    let kind: LabServer.Kind
    private let gate: (any LabGate)?
    private let resources: LabResources
    private let count = NIOLockedValueBox(0)

    var isSecure: Bool { kind.usesTLS }
    var requestCount: Int { count.withLockedValue { $0 } }

    init(kind: LabServer.Kind, rootPEM: PEMDocument) {
        self.kind = kind
        resources = LabResources(rootPEM: rootPEM)
        let realm = kind.isProxy ? "Countersign lab proxy" : "Countersign lab"
        gate =
            switch kind {
            case .basic, .proxyBasic: BasicGate(realm: realm, accepted: Lab.credentials)
            case .wrongPasswordForever: BasicGate(realm: realm, accepted: nil)
            case .digestMD5: DigestGate(realm: realm, accepted: Lab.credentials, hash: .md5)
            case .digestSHA256:
                DigestGate(realm: realm, accepted: Lab.credentials, hash: .sha256, information: .proof)
            case .proxyDigest: DigestGate(realm: realm, accepted: Lab.credentials, hash: .sha256)
            default: nil
            }
    }

    func reply(to request: LabRequest) -> LabReply {
        count.withLockedValue { $0 += 1 }
        if let gate, let challenge = challenge(of: gate, to: request) { return challenge }
        return kind.isProxy ? LabProxy.reply(to: request) : informed(resources.reply(to: request), to: request)
    }

    /// Adds what the gate says to those that it let in.
    private func informed(_ reply: LabReply, to request: LabRequest) -> LabReply {
        guard case .message(var response, let bytes) = reply, let answer = request.head.headerFields[.authorization],
            let information = gate?.information(
                about: answer, responseBody: request.head.method == .head ? [] : bytes)
        else { return reply }
        response.headerFields[.authenticationInfo] = information
        return .message(response, bytes)
    }

    private func challenge(of gate: any LabGate, to request: LabRequest) -> LabReply? {
        let answer = request.head.headerFields[kind.isProxy ? .proxyAuthorization : .authorization]
        guard
            let challenge = gate.challenge(
                to: answer, method: request.head.method.rawValue, target: request.target,
                body: Array(request.body.readableBytesView))
        else { return nil }
        var fields: HTTPFields = [kind.isProxy ? .proxyAuthenticate : .wwwAuthenticate: challenge]
        // NIO's decoder reads nothing more after a CONNECT, so the answer has to come on another connection.
        if request.head.method == .connect { fields[.connection] = "close" }
        return .text(
            "Who are you?\n", status: kind.isProxy ? .proxyAuthenticationRequired : .unauthorized, fields: fields)
    }
}

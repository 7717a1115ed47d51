// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import EssentialFoundation
import HTTPTypes
import NIOConcurrencyHelpers

/// An NTLM gate that knows the user of each connection and records requests of other users on it.
///
/// A request names its user in the field `From` and its number in `Subject`; without a user, `From` is missing.
struct OwnerGate: LabGate {
    /// A violation that a correct client never commits.
    enum Violation: Hashable, Sendable {
        case foreign(owner: String?, sender: String?)
        /// Another request arrived between two messages of an exchange.
        case interleaved
        case acceptedWithoutUser
    }

    private let gate: NTLMGate
    private let log = NIOLockedValueBox<(violations: [Violation], accepted: Int)>(([], 0))

    var violations: [Violation] { log.withLockedValue(\.violations) }
    var acceptedCount: Int { log.withLockedValue(\.accepted) }

    init(_ terms: NTLMTerms) {
        gate = NTLMGate(terms)
    }

    func verifier() -> any LabVerifier { Verifier(verifier: gate.verifier(), log: log) }

    private struct Verifier: LabVerifier {
        var verifier: any LabVerifier
        let log: NIOLockedValueBox<(violations: [Violation], accepted: Int)>
        private var owner: String?
        /// The request whose exchange is in progress.
        private var exchange: String?

        init(verifier: any LabVerifier, log: NIOLockedValueBox<(violations: [Violation], accepted: Int)>) {
            (self.verifier, self.log) = (verifier, log)
        }

        func information(about answer: String, responseBody: [UInt8]) -> String? { nil }

        mutating func verify(_ answer: String?, of request: LabRequest) -> LabRefusal? {
            let (sender, subject) = (request.head.headerFields[.from], request.head.headerFields[.subject])
            if exchange != nil, exchange != subject { note(.interleaved) }
            if owner != nil, owner != sender { note(.foreign(owner: owner, sender: sender)) }
            let message = answer.flatMap(Self.message) ?? []
            exchange = message.count > 8 && message[8] == 1 ? subject : nil
            let refusal = verifier.verify(answer, of: request)
            guard refusal == nil else { return refusal }
            if let proved = Self.user(message) {
                owner = proved
                if proved != sender { note(.foreign(owner: proved, sender: sender)) }
            }
            if owner == nil || sender == nil { note(.acceptedWithoutUser) }
            log.withLockedValue { $0.accepted += 1 }
            return nil
        }

        private func note(_ violation: Violation) {
            log.withLockedValue { $0.violations.append(violation) }
        }

        private static func message(_ answer: String) -> [UInt8]? {
            guard answer.hasPrefix("NTLM ") else { return nil }
            return Data(base64Encoded: String(answer.dropFirst(5))).map { Array($0) }
        }

        /// Returns the user of an AUTHENTICATE_MESSAGE (MS-NLMP section 2.2.1.3).
        private static func user(_ message: [UInt8]) -> String? {
            guard message.count > 44, message[8] == 3 else { return nil }
            func number(_ start: Int) -> Int { Int(message[start]) + Int(message[start + 1]) << 8 }
            let (length, start) = (number(36), number(40))
            guard start + length <= message.count else { return nil }
            let units = stride(from: start, to: start + length, by: 2).map { UInt16(number($0)) }
            return String(decoding: units, as: UTF16.self)
        }
    }
}

extension HTTPField.Name {
    /// The field `From` (RFC 9110 section 10.1.2), the user of the request.
    static let from = Self("From") ?? .userAgent
    /// The field `Subject`, the number of the request.
    static let subject = Self("Subject") ?? .userAgent
}

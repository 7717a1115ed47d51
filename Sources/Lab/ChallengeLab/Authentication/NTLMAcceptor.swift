// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import Crypto
package import EssentialFoundation

/// The server side of one NTLMv2 exchange (MS-NLMP section 3.2).
///
/// It shares no code with the client, so that a bug in one is exposed by the other.
package struct NTLMAcceptor {
    private enum Flag {
        static let unicode: UInt64 = 0x0000_0001
        static let requestTarget: UInt64 = 0x0000_0004
        static let ntlm: UInt64 = 0x0000_0200
        static let alwaysSign: UInt64 = 0x0000_8000
        static let targetTypeServer: UInt64 = 0x0002_0000
        static let extendedSessionSecurity: UInt64 = 0x0008_0000
        static let targetInformation: UInt64 = 0x0080_0000
        static let strong128: UInt64 = 0x2000_0000
        static let weak56: UInt64 = 0x8000_0000
        static let known =
            unicode | requestTarget | ntlm | alwaysSign | extendedSessionSecurity | strong128 | weak56
    }

    private static let integrityCode = 72..<88

    private let terms: NTLMTerms
    private let serverChallenge: [UInt8]
    private let attributes: NTLMAttributes?
    private var negotiation: [UInt8]?
    private var challenge: [UInt8] = []

    /// - Parameters:
    ///   - terms: The accepted users and further conditions.
    ///   - serverChallenge: A random number that was never used before.
    ///   - time: The current time.
    package init(_ terms: NTLMTerms, serverChallenge: UInt64, time: Date) {
        self.terms = terms
        var bytes: [UInt8] = []
        bytes.append(serverChallenge, size: 8)
        self.serverChallenge = bytes
        attributes = Self.attributes(omitting: terms.omission, at: time)
    }

    private static func attributes(omitting omission: NTLMTerms.Omission, at time: Date) -> NTLMAttributes? {
        guard omission != .targetInformation else { return nil }
        var attributes = NTLMAttributes()
        attributes[.computer] = [UInt8](ntlm: NTLMTerms.computer)
        attributes[.domain] = [UInt8](ntlm: NTLMTerms.domain)
        attributes[.dnsComputer] = [UInt8](ntlm: "localhost")
        attributes[.dnsDomain] = [UInt8](ntlm: NTLMTerms.dnsDomain)
        if omission != .timestamp {
            // The unit is 100 nanoseconds since 1601.
            var ticks: [UInt8] = []
            ticks.append(UInt64(max(0, time.timeIntervalSince1970 + 11_644_473_600)) * 10_000_000, size: 8)
            attributes[.timestamp] = ticks
        }
        return attributes
    }

    /// Processes a NEGOTIATE_MESSAGE and returns the CHALLENGE_MESSAGE (sections 2.2.1.1 and 2.2.1.2).
    package mutating func challenge(answering bytes: [UInt8]) throws(NTLMRefusal) -> [UInt8] {
        guard negotiation == nil else { throw .unexpectedMessage }
        let message = try NTLMMessage(bytes, type: 1)
        let wanted = try message.number(at: 12, size: 4)
        guard wanted & Flag.unicode != 0, wanted & Flag.ntlm != 0 else { throw .tooWeak }
        negotiation = bytes
        let target = [UInt8](ntlm: NTLMTerms.computer)
        let information = attributes?.encoded ?? []
        var flags = wanted & Flag.known | Flag.targetTypeServer
        if attributes != nil { flags |= Flag.targetInformation }
        challenge = NTLMMessage.signature
        challenge.append(2, size: 4)
        let header = 56
        challenge.appendField(of: target.count, at: header)
        challenge.append(flags, size: 4)
        challenge += serverChallenge + [UInt8](repeating: 0, count: 8)
        challenge.appendField(of: information.count, at: header + target.count)
        challenge += [UInt8](repeating: 0, count: 8) + target + information
        return challenge
    }

    /// Verifies an AUTHENTICATE_MESSAGE (section 2.2.1.3), of which an exchange accepts only one.
    ///
    /// - Returns: The user name in the server's spelling.
    package mutating func accept(_ bytes: [UInt8]) throws(NTLMRefusal) -> String {
        guard let negotiation else { throw .unexpectedMessage }
        self.negotiation = nil
        let message = try NTLMMessage(bytes, type: 3)
        let response = try message.field(at: 20)
        let (domain, user) = (try message.text(at: 28), try message.text(at: 36))
        // The proof has 16 bytes, and 28 bytes precede the attributes. An NTLMv1 response has 24 bytes.
        guard response.count >= 48, response[16] == 1, response[17] == 1 else { throw .notVersionTwo }
        guard let known = terms.credentials(of: user, in: domain) else { throw .unknownUser }
        let key = Self.responseKey(password: known.password, name: user, domain: domain)
        let (proof, body) = (Array(response.prefix(16)), Array(response.dropFirst(16)))
        guard constantTimeEqual(Self.code(key, serverChallenge + body), proof) else { throw .wrongProof }
        let answered = try NTLMAttributes(Array(body.dropFirst(28)))
        try checkRepeated(answered, time: Array(body[8..<16]))
        try checkIntegrity(of: bytes, answered, negotiation: negotiation, key: Self.code(key, proof))
        try checkBinding(answered)
        try checkService(answered)
        return known.user
    }

    /// Returns NTOWFv2 (section 3.3.2) of the received user name in uppercase and the received domain.
    static func responseKey(password: String, name: String, domain: String) -> [UInt8] {
        let hash = [UInt8](ntlm: password).withUnsafeBytes(MD4.digest)
        return code(hash, [UInt8](ntlm: name.uppercased() + domain))
    }

    static func code(_ key: [UInt8], _ message: [UInt8]) -> [UInt8] {
        Array(HMAC<Insecure.MD5>.authenticationCode(for: message, using: SymmetricKey(data: key)))
    }

    private func checkRepeated(_ answered: NTLMAttributes, time: [UInt8]) throws(NTLMRefusal) {
        guard let attributes else { return }
        for name in [NTLMAttributes.Name.computer, .domain, .dnsComputer, .dnsDomain, .timestamp] {
            guard answered[name] == attributes[name] else { throw .otherAttributes }
        }
        guard attributes[.timestamp] == nil || attributes[.timestamp] == time else { throw .otherAttributes }
    }

    private func checkIntegrity(
        of message: [UInt8], _ answered: NTLMAttributes, negotiation: [UInt8], key: [UInt8]
    ) throws(NTLMRefusal) {
        guard let flags = answered[.flags], let first = flags.first, first & 2 != 0 else {
            guard attributes?[.timestamp] == nil else { throw .missingIntegrityCode }
            return
        }
        guard message.count >= Self.integrityCode.upperBound else { throw .malformed }
        var blank = message
        blank.replaceSubrange(Self.integrityCode, with: [UInt8](repeating: 0, count: 16))
        let expected = Self.code(key, negotiation + challenge + blank)
        guard constantTimeEqual(expected, Array(message[Self.integrityCode])) else { throw .wrongIntegrityCode }
    }

    private func checkBinding(_ answered: NTLMAttributes) throws(NTLMRefusal) {
        guard let expected = terms.channelBinding else { return }
        guard let binding = answered[.channelBinding], binding.contains(where: { $0 != 0 }) else {
            throw .missingChannelBinding
        }
        guard constantTimeEqual(binding, expected) else { throw .foreignChannelBinding }
    }

    /// Checks the service name, which is required if the answer must have a channel binding.
    private func checkService(_ answered: NTLMAttributes) throws(NTLMRefusal) {
        guard let name = answered[.targetName] else {
            guard terms.channelBinding == nil else { throw .missingTargetName }
            return
        }
        guard terms.services.contains(where: { [UInt8](ntlm: $0) == Self.uppercasedUTF16(name) }) else {
            throw .foreignTargetName
        }
    }

    private static func uppercasedUTF16(_ name: [UInt8]) -> [UInt8] {
        let units = stride(from: 0, to: name.count - 1, by: 2).map { UInt16(name[$0]) | UInt16(name[$0 + 1]) << 8 }
        return [UInt8](ntlm: String(decoding: units, as: UTF16.self).uppercased())
    }
}

extension [UInt8] {
    /// Appends a length, an equal allocated length, and an offset.
    fileprivate mutating func appendField(of length: Int, at offset: Int) {
        append(UInt64(length), size: 2)
        append(UInt64(length), size: 2)
        append(UInt64(offset), size: 4)
    }
}

/// The error of an NTLM exchange that the server refuses.
package enum NTLMRefusal: Error, Hashable, Sendable {
    /// The message is not the expected one, or not an NTLM message.
    case unexpectedMessage
    /// A field extends beyond the message, or the attributes have no terminator.
    case malformed
    /// The client does not offer Unicode and NTLM.
    case tooWeak
    /// The response uses LM or NTLMv1, or is anonymous.
    case notVersionTwo
    case unknownUser
    case wrongProof
    /// The response does not repeat the server's attributes.
    case otherAttributes
    /// The server sent its time, but the messages have no integrity code (MS-NLMP section 3.1.5.1.2).
    case missingIntegrityCode
    case wrongIntegrityCode
    /// The channel binding is missing, or consists of 16 zero bytes, which mean that there is none (MS-NLMP section
    /// 2.2.2.1).
    case missingChannelBinding
    case foreignChannelBinding
    case missingTargetName
    case foreignTargetName
}

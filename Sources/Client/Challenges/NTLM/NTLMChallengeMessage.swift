// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// What a server answers to a negotiation (CHALLENGE_MESSAGE, "type 2", MS-NLMP section 2.2.1.2).
struct NTLMChallengeMessage: Hashable {
    /// The first bytes of every message.
    static let signature: [UInt8] = Array("NTLMSSP\0".utf8)

    let flags: NTLMFlags
    let serverChallenge: [UInt8]
    /// `nil` where the server sent none, as some proxies do.
    let targetInformation: NTLMTargetInformation?

    /// Reads a message; the version and the reserved bytes, which old servers leave out, are passed over.
    init(_ bytes: [UInt8]) throws(NTLMError) {
        guard bytes.prefix(8).elementsEqual(Self.signature) else { throw .notAChallenge }
        guard let type = bytes.littleEndian(UInt32.self, at: 8) else { throw .truncated }
        guard type == 2 else { throw .notAChallenge }
        // The name is not used, but a message that lies about it is not to be trusted with the rest.
        _ = try Self.payload(of: bytes, fieldsAt: 12)
        guard let flags = bytes.littleEndian(UInt32.self, at: 20), bytes.count >= 32 else { throw .truncated }
        self.flags = NTLMFlags(rawValue: flags)
        serverChallenge = Array(bytes[24..<32])
        guard self.flags.contains(.targetInformation) else {
            targetInformation = nil
            return
        }
        let information = try Self.payload(of: bytes, fieldsAt: 40)
        targetInformation = information.isEmpty ? nil : try NTLMTargetInformation(information)
    }

    /// What a length, an allocated length and an offset point to; the second must be ignored, and the last where it is empty.
    private static func payload(of bytes: [UInt8], fieldsAt place: Int) throws(NTLMError) -> [UInt8] {
        guard let length = bytes.littleEndian(UInt16.self, at: place).map(Int.init),
            let offset = bytes.littleEndian(UInt32.self, at: place + 4)
        else { throw .truncated }
        guard length > 0 else { return [] }
        guard length <= bytes.count, let start = Int(exactly: offset), start <= bytes.count - length
        else { throw .truncated }
        return Array(bytes[start..<start + length])
    }

    /// Refuses a server that would have the password proved in a weaker way.
    func checkFeatures() throws(NTLMError) {
        guard flags.contains(.unicode) else { throw .refusedFeature(.unicode) }
        guard flags.contains(.ntlm) else { throw .refusedFeature(.ntlm) }
        guard flags.contains(.extendedSessionSecurity) else { throw .refusedFeature(.extendedSessionSecurity) }
    }
}

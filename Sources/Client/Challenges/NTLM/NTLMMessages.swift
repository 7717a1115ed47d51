// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A server's answer to the negotiation (CHALLENGE_MESSAGE, "type 2", MS-NLMP section 2.2.1.2).
struct NTLMChallengeMessage: Hashable {
    /// The first bytes of every message.
    static let signature: [UInt8] = Array("NTLMSSP\0".utf8)

    let flags: NTLMFlags
    let serverChallenge: [UInt8]
    /// The target information; `nil` if the server sent none, as some proxies do.
    let targetInformation: NTLMTargetInformation?

    /// Parses a message, and skips the version and the reserved bytes, which old servers omit.
    init(_ bytes: [UInt8]) throws(NTLMError) {
        guard bytes.prefix(8).elementsEqual(Self.signature) else { throw .notAChallenge }
        guard let type = bytes.littleEndian(UInt32.self, at: 8) else { throw .truncated }
        guard type == 2 else { throw .notAChallenge }
        // The name is not used, but a message with invalid name fields is rejected.
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

    /// Returns the bytes to which a length, an allocated length and an offset refer; the allocated length is ignored,
    /// and so is the offset of an empty field.
    private static func payload(of bytes: [UInt8], fieldsAt place: Int) throws(NTLMError) -> [UInt8] {
        guard let length = bytes.littleEndian(UInt16.self, at: place).map(Int.init),
            let offset = bytes.littleEndian(UInt32.self, at: place + 4)
        else { throw .truncated }
        guard length > 0 else { return [] }
        guard length <= bytes.count, let start = Int(exactly: offset), start <= bytes.count - length
        else { throw .truncated }
        return Array(bytes[start..<start + length])
    }

    /// Throws if the server requires a weaker proof of the password.
    func checkFeatures() throws(NTLMError) {
        guard flags.contains(.unicode) else { throw .refusedFeature(.unicode) }
        guard flags.contains(.ntlm) else { throw .refusedFeature(.ntlm) }
        guard flags.contains(.extendedSessionSecurity) else { throw .refusedFeature(.extendedSessionSecurity) }
    }
}

/// The attributes in the server's order, and those that the client adds (AV_PAIR, MS-NLMP section 2.2.2.1).
struct NTLMTargetInformation: Hashable {
    /// The AvId of an attribute.
    enum Attribute: UInt16 {
        case end = 0
        case flags = 6
        case timestamp = 7
        case targetName = 9
        case channelBindings = 10
    }

    private struct Pair: Hashable {
        let identifier: UInt16
        var value: [UInt8]
    }

    private var pairs: [Pair] = []

    /// Makes an empty list, as for a server without target information.
    init() {}

    /// Parses attributes up to the end mark; the bytes after it are not repeated to the server.
    init(_ bytes: [UInt8]) throws(NTLMError) {
        var seen: Set<UInt16> = []
        var offset = 0
        while true {
            guard let identifier = bytes.littleEndian(UInt16.self, at: offset),
                let length = bytes.littleEndian(UInt16.self, at: offset + 2).map(Int.init)
            else { throw .unterminatedTargetInformation }
            let start = offset + 4
            guard length <= bytes.count - start else { throw .truncated }
            try Self.checkLength(length, of: identifier)
            if identifier == Attribute.end.rawValue { return }
            guard seen.insert(identifier).inserted else { throw .duplicateAttribute(identifier) }
            pairs.append(Pair(identifier: identifier, value: Array(bytes[start..<start + length])))
            offset = start + length
        }
    }

    private static func checkLength(_ length: Int, of identifier: UInt16) throws(NTLMError) {
        let fits =
            switch Attribute(rawValue: identifier) {
            case .end: length == 0
            case .flags: length == 4
            case .timestamp: length == 8
            case .targetName, .channelBindings, nil: true
            }
        guard fits else { throw .malformedAttribute(identifier) }
    }

    /// The value of an attribute; a new attribute is appended, and an existing one keeps its position.
    subscript(attribute: Attribute) -> [UInt8]? {
        get { pairs.first { $0.identifier == attribute.rawValue }?.value }
        set {
            let index = pairs.firstIndex { $0.identifier == attribute.rawValue }
            switch (index, newValue) {
            case (let index?, let value?): pairs[index].value = value
            case (let index?, nil): pairs.remove(at: index)
            case (nil, let value?): pairs.append(Pair(identifier: attribute.rawValue, value: value))
            case (nil, nil): break
            }
        }
    }

    /// The attributes and the end mark; each value must be shorter than 2¹⁶ bytes.
    var encoded: [UInt8] {
        var bytes: [UInt8] = []
        for pair in pairs {
            bytes.append(littleEndian: pair.identifier)
            bytes.append(littleEndian: UInt16(truncatingIfNeeded: pair.value.count))
            bytes += pair.value
        }
        return bytes + [0, 0, 0, 0]
    }
}

/// The message that proves the password (AUTHENTICATE_MESSAGE, "type 3", MS-NLMP section 2.2.1.3).
struct NTLMAuthenticateMessage: Hashable {
    private static let headerSize = 88
    private static let integrityCodeSize = 16
    /// Twenty-four zeros, which mean that there is no LM answer.
    ///
    /// An LMv2 answer would be bound neither to the server's name nor to its certificate, so an attacker who removes
    /// the timestamp from a challenge could relay it: it is never sent. Chromium also sends zeros with every NTLMv2
    /// answer (18120b22).
    private static let noLMResponse = [UInt8](repeating: 0, count: 24)

    let flags: NTLMFlags
    let account: NTLMAccount
    let workstation: String
    let response: [UInt8]

    /// Encodes the message with its integrity code.
    ///
    /// - Parameter makeCode: Computes the code of the message, which has zeros in its place; `nil` if the server cannot
    ///   check a code.
    /// - Returns: The header and the payload.
    /// - Throws: ``NTLMError/tooLong(_:)``.
    func encoded(withCode makeCode: (([UInt8]) -> [UInt8])?) throws(NTLMError) -> [UInt8] {
        var header = NTLMChallengeMessage.signature
        header.append(littleEndian: UInt32(3))
        var payload: [UInt8] = []
        // The session key comes last and is empty, because no key is exchanged.
        let fields: [(NTLMError.Part, [UInt8])] = [
            (.response, Self.noLMResponse), (.response, response), (.domain, Array(utf16: account.domain)),
            (.user, Array(utf16: account.user)), (.workstation, Array(utf16: workstation)), (.response, []),
        ]
        for (part, field) in fields {
            guard let length = UInt16(exactly: field.count) else { throw .tooLong(part) }
            header.append(littleEndian: length)
            header.append(littleEndian: length)
            header.append(littleEndian: UInt32(Self.headerSize + payload.count))
            payload += field
        }
        header.append(littleEndian: flags.rawValue)
        // The version is left empty: it would reveal the system and has no use.
        header += [UInt8](repeating: 0, count: 8)
        let place = header.count..<header.count + Self.integrityCodeSize
        header += [UInt8](repeating: 0, count: Self.integrityCodeSize)
        var message = header + payload
        if let makeCode { message.replaceSubrange(place, with: makeCode(message)) }
        return message
    }
}

/// The capabilities of client and server (MS-NLMP section 2.2.2.5).
struct NTLMFlags: OptionSet, Hashable {
    let rawValue: UInt32

    static let unicode = Self(rawValue: 0x0000_0001)
    static let requestTarget = Self(rawValue: 0x0000_0004)
    static let ntlm = Self(rawValue: 0x0000_0200)
    static let alwaysSign = Self(rawValue: 0x0000_8000)
    static let extendedSessionSecurity = Self(rawValue: 0x0008_0000)
    static let targetInformation = Self(rawValue: 0x0080_0000)
    static let strong128 = Self(rawValue: 0x2000_0000)
    static let weak56 = Self(rawValue: 0x8000_0000)

    /// The flags of the negotiation.
    ///
    /// They include neither signing nor sealing, because HTTP does not support them, and therefore no key exchange
    /// either: without one of those two, an exchanged key has no effect (section 3.1.5.1.2). Windows requests none of
    /// the three over HTTP (0xA2088207 in tokens of its builds 7601 and 26100), so no server can require them. OEM is
    /// not offered, so that no server can select it.
    static let requested: Self = [
        .unicode, .requestTarget, .ntlm, .alwaysSign, .extendedSessionSecurity, .targetInformation, .strong128, .weak56,
    ]
}

extension [UInt8] {
    /// Appends a number in NTLM's byte order, little-endian (MS-NLMP section 2.2).
    mutating func append(littleEndian number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
    }

    /// Reads a little-endian number; the result is `nil` if there are not enough bytes.
    func littleEndian<Number: FixedWidthInteger & UnsignedInteger>(_: Number.Type, at offset: Int) -> Number? {
        let size = Number.bitWidth / 8
        guard offset >= 0, size <= count, offset <= count - size else { return nil }
        return withUnsafeBytes { Number(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: Number.self)) }
    }

    /// Encodes a text for NTLM messages: UTF-16, little-endian, without byte order mark and terminator.
    init(utf16 text: some StringProtocol) {
        self = []
        reserveCapacity(2 * text.utf16.count)
        for unit in text.utf16 { append(littleEndian: unit) }
    }
}

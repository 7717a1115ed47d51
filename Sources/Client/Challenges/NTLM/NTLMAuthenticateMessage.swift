// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// What proves the password (AUTHENTICATE_MESSAGE, "type 3", MS-NLMP section 2.2.1.3).
struct NTLMAuthenticateMessage: Hashable {
    private static let headerSize = 88
    private static let integrityCodeSize = 16
    /// Twenty-four zeros say that there is no LM answer.
    ///
    /// An LMv2 answer would be bound neither to the server's name nor to its certificate, so an attacker who strips the timestamp from
    /// a challenge could relay it: it is never sent. Chromium sends zeros with every NTLMv2 answer too (18120b22).
    private static let noLMResponse = [UInt8](repeating: 0, count: 24)

    let flags: NTLMFlags
    let account: NTLMAccount
    let workstation: String
    let response: [UInt8]

    /// The message with its integrity code.
    ///
    /// - Parameter makeCode: Is given the message with zeros in the code's place; `nil` where the server cannot check a code.
    /// - Returns: The header and what its fields point to.
    /// - Throws: ``NTLMError/tooLong(_:)``.
    func encoded(withCode makeCode: (([UInt8]) -> [UInt8])?) throws(NTLMError) -> [UInt8] {
        var header = NTLMChallengeMessage.signature
        header.append(littleEndian: UInt32(3))
        var payload: [UInt8] = []
        // The session key comes last and is empty: no key is exchanged.
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
        // No version: it tells of the machine and serves nothing.
        header += [UInt8](repeating: 0, count: 8)
        let place = header.count..<header.count + Self.integrityCodeSize
        header += [UInt8](repeating: 0, count: Self.integrityCodeSize)
        var message = header + payload
        if let makeCode { message.replaceSubrange(place, with: makeCode(message)) }
        return message
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A server's NTLM message as it was recorded, in reply to a client that offers 8-bit text and NTLMv1.
///
/// Ours offers Unicode and extended security alone (MS-NLMP section 2.2.2.5), so a server that took part would choose those.
enum RecordedNTLMChallenge {
    private static let start = "NTLM TlRMTVNTUAAC"
    private static let flags = 20
    private static let (unicode, oem): (UInt8, UInt8) = (0x01, 0x02)
    /// In the third byte of the flags.
    private static let extendedSessionSecurity: UInt8 = 0x08

    /// The reply with every such message for our client; its length stays the same.
    static func choosingOurs(in reply: [UInt8]) -> [UInt8] {
        var (changed, rest) = ([UInt8](), reply[...])
        while let found = rest.firstIndex(of: start) {
            let token = rest[(found + "NTLM ".utf8.count)...].prefix { $0 > UInt8(ascii: " ") }
            changed += rest[..<token.startIndex]
            changed += choosingOurs(token) ?? Array(token)
            rest = rest[token.endIndex...]
        }
        return changed + rest
    }

    private static func choosingOurs(_ token: ArraySlice<UInt8>) -> [UInt8]? {
        guard var message = Data(base64Encoded: Data(token)), message.count >= flags + 4 else { return nil }
        let place = message.startIndex + flags
        message[place] = message[place] & ~oem | unicode
        message[place + 2] |= extendedSessionSecurity
        return Array(message.base64EncodedData())
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import EssentialFoundation

/// Chooses what each request is answered with, as the server of curl's test-suite does (curl's tests/server/sws.c).
struct ReplyScript: Sendable {
    struct Reply: Hashable, Sendable {
        let bytes: [UInt8]
        let closes: Bool
        /// Whether what follows on the connection is for the origin.
        let opensTunnel: Bool
    }

    private let test: CurlTest
    private var bouncesNext = false
    private var lastPart = 0
    private var negotiatedPart: Int?

    init(_ test: CurlTest) {
        self.test = test
    }

    mutating func reply(to head: RequestHead) -> Reply {
        let named = TestNumber(target: head.target)
        let own = named.flatMap { $0.test == test.number ? $0.part : nil } ?? 0
        let part = bouncesNext ? lastPart + 1 : answeredPart(own, to: head)
        let isConnect = head.method == "CONNECT"
        let recorded = test.reply((isConnect ? "connect" : "data") + (part == 0 ? "" : String(part))) ?? []
        let bytes = RecordedNTLMChallenge.choosingOurs(in: recorded)
        (lastPart, bouncesNext) = (part, bytes.contains("swsbounce"))
        let closes =
            bytes.isEmpty || bytes.contains("swsclose") || bytes.contains("Connection: close")
            || test.serverCommands.contains(.closes)
        return Reply(
            bytes: bytes, closes: closes,
            opensTunnel: isConnect
                && (bytes.starts(with: Array("HTTP/1.1 2".utf8)) || bytes.starts(with: Array("HTTP/1.0 2".utf8))))
    }

    /// Credentials raise the part that the target names; those for a proxy count as those for an origin.
    private mutating func answeredPart(_ part: Int, to head: RequestHead) -> Int {
        let answers = head["Authorization"] + head["Proxy-Authorization"]
        func has(_ prefix: String) -> Bool { answers.contains { $0.hasPrefix(prefix) } }
        if has("Negotiate") {
            let next = (negotiatedPart ?? part) + 1
            negotiatedPart = next
            return next
        }
        if has("Digest") { return part + 1000 }
        if has("NTLM TlRMTVNTUAAD") { return part + 1002 }
        if has("NTLM TlRMTVNTUAAB") { return part + 1001 }
        return part >= 1000 && has("Basic") ? part + 1 : part
    }
}

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

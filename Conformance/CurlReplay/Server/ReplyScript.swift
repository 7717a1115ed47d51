// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import EssentialFoundation

/// Chooses the reply to each request, as the server of curl's test suite does (curl's tests/server/sws.c).
struct ReplyScript: Sendable {
    struct Reply: Hashable, Sendable {
        let bytes: [UInt8]
        let closes: Bool
        /// Whether later requests on the connection are for the origin.
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
        let bytes = RecordedNTLMChallenge.adaptingFlags(in: recorded)
        (lastPart, bouncesNext) = (part, bytes.contains("swsbounce"))
        let closes =
            bytes.isEmpty || bytes.contains("swsclose") || bytes.contains("Connection: close")
            || test.serverCommands.contains(.closes)
        return Reply(
            bytes: bytes, closes: closes,
            opensTunnel: isConnect
                && (bytes.starts(with: Array("HTTP/1.1 2".utf8)) || bytes.starts(with: Array("HTTP/1.0 2".utf8))))
    }

    /// Returns the part of the reply, to which credentials for an origin or a proxy add an offset.
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

/// A recorded NTLM challenge, which answers a client that offers 8-bit text and NTLMv1.
///
/// This library offers Unicode and extended session security only
/// (MS-NLMP section 2.2.2.5), so a real server would choose those.
enum RecordedNTLMChallenge {
    private static let start = "NTLM TlRMTVNTUAAC"
    private static let flags = 20
    private static let (unicode, oem): (UInt8, UInt8) = (0x01, 0x02)
    /// The flag in the third byte of the flags.
    private static let extendedSessionSecurity: UInt8 = 0x08

    /// Returns the reply with the flags that this library requires in every challenge; its length does not change.
    static func adaptingFlags(in reply: [UInt8]) -> [UInt8] {
        var (changed, rest) = ([UInt8](), reply[...])
        while let found = rest.firstIndex(of: start) {
            let token = rest[(found + "NTLM ".utf8.count)...].prefix { $0 > UInt8(ascii: " ") }
            changed += rest[..<token.startIndex]
            changed += adaptingFlags(token) ?? Array(token)
            rest = rest[token.endIndex...]
        }
        return changed + rest
    }

    private static func adaptingFlags(_ token: ArraySlice<UInt8>) -> [UInt8]? {
        guard var message = Data(base64Encoded: Data(token)), message.count >= flags + 4 else { return nil }
        let place = message.startIndex + flags
        message[place] = message[place] & ~oem | unicode
        message[place + 2] |= extendedSessionSecurity
        return Array(message.base64EncodedData())
    }
}

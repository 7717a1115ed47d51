// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

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

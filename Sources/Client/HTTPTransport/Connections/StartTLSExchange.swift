// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import CertificateTrust

/// The client side of the request for TLS, without I/O.
package struct StartTLSExchange {
    package enum Action: Hashable {
        case send([UInt8])
        /// The server expects the TLS handshake.
        case open
    }

    package struct Failure: Error, Hashable {
        package let problem: StartTLSProblem

        fileprivate init(_ problem: StartTLSProblem) {
            self.problem = problem
        }
    }

    private enum State {
        case greeting
        case hello
        case requested
        case open
    }

    /// The maximum number of bytes from the server before the handshake.
    package static let limit = 1 << 16

    private let kind: StartTLS
    private let host: HostName
    private var state: State
    private var received: [UInt8] = []
    private var count = 0

    package init(_ kind: StartTLS, with host: HostName) {
        (self.kind, self.host) = (kind, host)
        state = [.ldap, .postgres].contains(kind) ? .requested : .greeting
    }

    /// The client's first message; empty if the server speaks first.
    package var opening: [UInt8] {
        switch kind {
        case .ldap:
            // An extended request with message identifier 1 and the object identifier of StartTLS.
            [0x30, 0x1D, 0x02, 0x01, 0x01, 0x77, 0x18, 0x80, 0x16] + "1.3.6.1.4.1.1466.20037".utf8
        case .postgres: [0, 0, 0, 8, 0x04, 0xD2, 0x16, 0x2F]
        case .xmpp:
            Array(
                """
                <?xml version='1.0'?><stream:stream xmlns:stream='http://etherx.jabber.org/streams' \
                xmlns='jabber:client' to='\(host)' version='1.0'>
                """.utf8)
        default: []
        }
    }

    /// Reads bytes from the server.
    ///
    /// - Returns: The next action; `nil` if the message is incomplete.
    package mutating func receive(_ bytes: some Collection<UInt8>) throws(Failure) -> Action? {
        guard state != .open || bytes.isEmpty else { throw Failure(.excess) }
        count += bytes.count
        guard count <= Self.limit else { throw Failure(.tooLong(limit: Self.limit)) }
        received += bytes
        while let reply = try next() {
            if state == .open {
                guard received.isEmpty else { throw Failure(.excess) }
                return .open
            }
            if !reply.isEmpty { return .send(reply) }
        }
        return nil
    }

    /// Reads one message.
    ///
    /// - Returns: The bytes to send, which may be none; `nil` if the message is incomplete.
    private mutating func next() throws(Failure) -> [UInt8]? {
        switch kind {
        case .smtp, .lmtp, .ftp, .nntp: try readCode()
        case .imap: try readIMAP()
        case .pop3: try readPOP3()
        case .xmpp: try readXMPP()
        case .ldap: try readLDAP()
        case .postgres: try readPostgres()
        case .mysql: try readMySQL()
        case .sieve: try readSieve()
        }
    }

    /// Takes a line, without its end; `nil` if it is incomplete.
    private mutating func line() -> String? {
        guard let end = received.firstIndex(of: 0x0A) else { return nil }
        defer { received.removeFirst(end + 1) }
        let bytes = received[..<end]
        return String(decoding: bytes.last == 0x0D ? bytes.dropLast() : bytes, as: UTF8.self)
    }

    private mutating func advance(to state: State, sending text: String = "") -> [UInt8] {
        self.state = state
        return Array(text.utf8)
    }

    // MARK: Protocols with lines

    /// Reads a line of a reply with a code of three digits; all but the last have a hyphen after it (RFC 5321 section
    /// 4.2.1, RFC 959 section 4.2).
    private mutating func readCode() throws(Failure) -> [UInt8]? {
        guard let line = line() else { return nil }
        let code = line.prefix(3)
        guard code.utf8.count == 3, let number = Int(code) else {
            // The further lines of an FTP reply need no code.
            if kind == .ftp, state == .greeting { return [] }
            throw Failure(.unexpected(line))
        }
        guard line.dropFirst(3).first != "-" else { return [] }
        switch (state, number) {
        case (.greeting, 200...201) where kind == .nntp: return advance(to: .requested, sending: "STARTTLS\r\n")
        case (.requested, 382) where kind == .nntp: return advance(to: .open)
        case (_, _) where kind == .nntp: throw Failure(.refused(line))
        case (.greeting, 220) where kind == .ftp: return advance(to: .requested, sending: "AUTH TLS\r\n")
        case (.greeting, 220):
            return advance(to: .hello, sending: (kind == .lmtp ? "LHLO" : "EHLO") + " localhost\r\n")
        // Not every server announces what it supports, so the request is sent regardless.
        case (.hello, 250): return advance(to: .requested, sending: "STARTTLS\r\n")
        case (.requested, kind == .ftp ? 234 : 220): return advance(to: .open)
        default: throw Failure(.refused(line))
        }
    }

    private mutating func readIMAP() throws(Failure) -> [UInt8]? {
        guard let line = line() else { return nil }
        let upper = line.uppercased()
        switch state {
        case .greeting where upper.hasPrefix("* OK"): return advance(to: .requested, sending: "a1 STARTTLS\r\n")
        case .requested where upper.hasPrefix("A1 OK"): return advance(to: .open)
        case .requested where upper.hasPrefix("* ") && !upper.hasPrefix("* BYE"): return []
        default: throw Failure(upper.hasPrefix("* ") || upper.hasPrefix("A1 ") ? .refused(line) : .unexpected(line))
        }
    }

    private mutating func readPOP3() throws(Failure) -> [UInt8]? {
        guard let line = line() else { return nil }
        guard line.hasPrefix("+OK") else { throw Failure(line.hasPrefix("-ERR") ? .refused(line) : .unexpected(line)) }
        return state == .greeting ? advance(to: .requested, sending: "STLS\r\n") : advance(to: .open)
    }

    /// Reads a line; the lines before the one with `OK` list what the server supports.
    private mutating func readSieve() throws(Failure) -> [UInt8]? {
        guard let line = line() else { return nil }
        let upper = line.uppercased()
        if upper == "OK" || upper.hasPrefix("OK ") {
            return state == .greeting ? advance(to: .requested, sending: "STARTTLS\r\n") : advance(to: .open)
        }
        if state == .greeting, line.hasPrefix("\"") { return [] }
        throw Failure(upper.hasPrefix("NO") || upper.hasPrefix("BYE") ? .refused(line) : .unexpected(line))
    }

    // MARK: XMPP

    private mutating func readXMPP() throws(Failure) -> [UInt8]? {
        let text = String(decoding: received, as: UTF8.self)
        if let first = text.first(where: { !$0.isWhitespace }), first != "<" { throw Failure(.unexpected(text)) }
        if text.contains("<stream:error") || text.contains("<failure") { throw Failure(.refused(text)) }
        guard state == .greeting else {
            guard let start = text.firstRange(of: "<proceed"), let end = text[start.upperBound...].firstIndex(of: ">")
            else { return nil }
            received = []
            let rest = text[text.index(after: end)...].filter { !$0.isWhitespace }
            guard rest.isEmpty || rest == "</proceed>" else { throw Failure(.excess) }
            return advance(to: .open)
        }
        let ends = ["</stream:features>", "</features>", "features/>"]
        guard ends.contains(where: { text.contains($0) }) else { return nil }
        received = []
        guard text.contains("urn:ietf:params:xml:ns:xmpp-tls") else { throw Failure(.refused(text)) }
        return advance(to: .requested, sending: "<starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>")
    }

    // MARK: Protocols with binary messages

    /// Reads an extended response: a sequence of the message identifier and `[APPLICATION 24]`, which begins with the
    /// result code, a name and the diagnostic message.
    private mutating func readLDAP() throws(Failure) -> [UInt8]? {
        guard let first = received.first else { return nil }
        guard first == 0x30 else { throw Failure(.unexpected(String(decoding: received, as: UTF8.self))) }
        guard let contents = element(in: received[...]) else { return nil }
        let bytes = Array(received[..<contents.upperBound])
        received.removeFirst(contents.upperBound)
        guard let identifier = element(in: bytes[contents]),
            let response = element(in: bytes[identifier.upperBound...]),
            bytes[identifier.upperBound] == 0x78,
            let code = element(in: bytes[response]), code.count == 1
        else { throw Failure(.unexpected("a malformed extended response")) }
        guard bytes[code.lowerBound] != 0 else { return advance(to: .open) }
        let name = element(in: bytes[code.upperBound..<response.upperBound])
        let message = name.flatMap { element(in: bytes[$0.upperBound..<response.upperBound]) }
        let text = message.map { String(decoding: bytes[$0], as: UTF8.self) } ?? ""
        throw Failure(.refused("result code \(bytes[code.lowerBound]) \(text)"))
    }

    /// Returns the range of the contents of the element at the start; `nil` if it is incomplete.
    private func element(in bytes: ArraySlice<UInt8>) -> Range<Int>? {
        guard bytes.count >= 2 else { return nil }
        var start = bytes.startIndex + 2
        var length = Int(bytes[bytes.startIndex + 1])
        if length >= 0x80 {
            let octets = bytes[start...].prefix(length - 0x80)
            guard octets.count == length - 0x80, (1...4).contains(octets.count) else { return nil }
            length = octets.reduce(0) { $0 << 8 | Int($1) }
            start += octets.count
        }
        return length <= bytes.endIndex - start ? start..<start + length : nil
    }

    private mutating func readPostgres() throws(Failure) -> [UInt8]? {
        guard let first = received.first else { return nil }
        switch first {
        case UInt8(ascii: "S"):
            received.removeFirst()
            return advance(to: .open)
        case UInt8(ascii: "N"): throw Failure(.refused("N"))
        default: throw Failure(.unexpected(String(decoding: received, as: UTF8.self)))
        }
    }

    /// Reads the server's first packet: its length in three bytes, a number, and the version, whose capabilities have a
    /// bit for TLS; the handshake follows the client's packet at once.
    private mutating func readMySQL() throws(Failure) -> [UInt8]? {
        guard state == .greeting else { return advance(to: .open) }
        guard received.count >= 4 else { return nil }
        let length = Int(received[0]) | Int(received[1]) << 8 | Int(received[2]) << 16
        guard length <= Self.limit else { throw Failure(.unexpected(String(decoding: received, as: UTF8.self))) }
        guard received.count >= 4 + length else { return nil }
        let packet = received[4..<4 + length]
        received.removeFirst(4 + length)
        guard packet.first == 10 else {
            let text = String(decoding: packet.dropFirst(3), as: UTF8.self)
            throw Failure(packet.first == 0xFF ? .refused(text) : .unexpected(String(decoding: packet, as: UTF8.self)))
        }
        // The version ends with a zero byte; a thread, a part of a nonce and another zero byte follow.
        let capabilities = packet.dropFirst().drop { $0 != 0 }.dropFirst(1 + 4 + 8 + 1).prefix(2)
        guard capabilities.count == 2 else { throw Failure(.unexpected("a malformed packet")) }
        guard capabilities[capabilities.startIndex + 1] & 0x08 != 0 else { throw Failure(.refused("no TLS")) }
        state = .requested
        // The capabilities of protocol 4.1 with TLS, the maximum size of a packet, the character set, and reserved bytes.
        return [32, 0, 0, 1, 0x85, 0xAE, 0x7F, 0, 0, 0, 0, 1, 33] + [UInt8](repeating: 0, count: 23)
    }
}

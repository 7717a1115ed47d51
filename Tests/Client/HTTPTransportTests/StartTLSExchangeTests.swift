// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Testing

@testable import HTTPTransport

@Suite("The request for TLS in other protocols") struct StartTLSExchangeTests {
    struct Case: Sendable {
        let kind: StartTLS
        /// The server's messages.
        let server: [String]
        /// The client's messages, and the end: `open`, `incomplete`, or the problem.
        let client: [String]

        init(_ kind: StartTLS, _ server: [String], _ client: [String]) {
            (self.kind, self.server, self.client) = (kind, server, client)
        }
    }

    static let ldap = "0\u{1D}\u{2}\u{1}\u{1}w\u{18}\u{80}\u{16}1.3.6.1.4.1.1466.20037"
    static let stream =
        "<?xml version='1.0'?><stream:stream xmlns:stream='http://etherx.jabber.org/streams' xmlns='jabber:client' to='a.test' version='1.0'>"
    static let request = "<starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>"
    static let features =
        "<stream:stream id='1'><stream:features><starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/></stream:features>"

    /// Returns MySQL's first packet, with the upper byte of its lower capabilities.
    static func mysql(_ capabilities: UInt8) -> String {
        "\u{17}\0\0\0\u{0A}8.0.0\0" + "abcd" + "12345678" + "\0\0" + String(UnicodeScalar(capabilities)) + "!"
    }

    static let mysqlRequest =
        " \0\0\u{1}\u{85}\u{AE}\u{7F}\0\0\0\0\u{1}!" + String(repeating: "\0", count: 23)

    static let cases: [Case] = [
        Case(
            .smtp, ["220 a.test ESMTP\r\n", "250-a.test\r\n250-SIZE 1\r\n250 STARTTLS\r\n", "220 2.0.0 Ready\r\n"],
            ["EHLO localhost\r\n", "STARTTLS\r\n", "open"]),
        Case(
            .smtp, ["220-Welcome\r\n220 a.test\r\n", "250 a.test\r\n", "220\r\n"],
            ["EHLO localhost\r\n", "STARTTLS\r\n", "open"]),
        Case(.smtp, ["220 a.test\n", "250 a.test\n", "220 go\n"], ["EHLO localhost\r\n", "STARTTLS\r\n", "open"]),
        Case(.smtp, ["554 No service\r\n"], ["refused(\"554 No service\")"]),
        Case(
            .smtp, ["220 a.test\r\n", "250 a.test\r\n", "502 Not implemented\r\n"],
            ["EHLO localhost\r\n", "STARTTLS\r\n", "refused(\"502 Not implemented\")"]),
        Case(
            .smtp, ["220 a.test\r\n", "250 a.test\r\n", "220 go\r\n250 injected\r\n"],
            ["EHLO localhost\r\n", "STARTTLS\r\n", "excess"]),
        Case(.smtp, ["SSH-2.0-OpenSSH_9.2\r\n"], ["unexpected(\"SSH-2.0-OpenSSH_9.2\")"]),
        Case(.smtp, [String(repeating: "a", count: 65_537)], ["tooLong(limit: 65536)"]),
        Case(.smtp, ["220 a.te"], ["incomplete"]),
        Case(
            .lmtp, ["220 a.test\r\n", "250 a.test\r\n", "220 go\r\n"], ["LHLO localhost\r\n", "STARTTLS\r\n", "open"]),
        Case(.imap, ["* OK IMAP4rev1\r\n", "* 1 note\r\na1 OK go\r\n"], ["a1 STARTTLS\r\n", "open"]),
        Case(.imap, ["* OK ready\r\n", "a1 BAD no\r\n"], ["a1 STARTTLS\r\n", "refused(\"a1 BAD no\")"]),
        Case(.imap, ["* PREAUTH hello\r\n"], ["refused(\"* PREAUTH hello\")"]),
        Case(.imap, ["* OK ready\r\n", "* BYE\r\n"], ["a1 STARTTLS\r\n", "refused(\"* BYE\")"]),
        Case(.imap, ["* OK ready\r\n", "a1 OK go\r\n* CAPABILITY\r\n"], ["a1 STARTTLS\r\n", "excess"]),
        Case(.imap, ["220 a.test\r\n"], ["unexpected(\"220 a.test\")"]),
        Case(.pop3, ["+OK ready\r\n", "+OK go\r\n"], ["STLS\r\n", "open"]),
        Case(.pop3, ["+OK ready\r\n", "-ERR no\r\n"], ["STLS\r\n", "refused(\"-ERR no\")"]),
        Case(.pop3, ["+OK ready\r\n", "+OK go\r\n+OK"], ["STLS\r\n", "excess"]),
        Case(.ftp, ["220-Welcome\r\n to the server\r\n220 ready\r\n", "234 go\r\n"], ["AUTH TLS\r\n", "open"]),
        Case(.ftp, ["220 ready\r\n", "534 no\r\n"], ["AUTH TLS\r\n", "refused(\"534 no\")"]),
        Case(.xmpp, [features, "<proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>"], [stream, request, "open"]),
        Case(
            .xmpp, ["<stream:stream><stream:features></stream:features>"],
            [stream, "refused(\"<stream:stream><stream:features></stream:features>\")"]),
        Case(.xmpp, [features, "<proceed/><message/>x"], [stream, request, "excess"]),
        Case(.xmpp, [features, "<proceed/><message/>"], [stream, request, "excess"]),
        Case(.xmpp, ["SSH-2.0"], [stream, "unexpected(\"SSH-2.0\")"]),
        Case(.ldap, ["0\u{0C}\u{2}\u{1}\u{1}x\u{7}\n\u{1}\u{0}\u{4}\u{0}\u{4}\u{0}"], [ldap, "open"]),
        Case(.ldap, ["0\u{0C}\u{2}\u{1}\u{1}x\u{7}\n\u{1}\u{0}\u{4}\u{0}\u{4}\u{0}0"], [ldap, "excess"]),
        Case(
            .ldap, ["0\u{0E}\u{2}\u{1}\u{1}x\u{9}\n\u{1}\u{2}\u{4}\u{0}\u{4}\u{2}no"],
            [ldap, "refused(\"result code 2 no\")"]),
        Case(.ldap, ["0\u{5}\u{2}\u{1}\u{1}a\u{0}"], [ldap, "unexpected(\"a malformed extended response\")"]),
        Case(.ldap, ["0"], [ldap, "incomplete"]),
        Case(.ldap, ["HTTP/1.1"], [ldap, "unexpected(\"HTTP/1.1\")"]),
        Case(.nntp, ["200 ready\r\n", "382 go\r\n"], ["STARTTLS\r\n", "open"]),
        Case(.nntp, ["201 ready\r\n", "502 no\r\n"], ["STARTTLS\r\n", "refused(\"502 no\")"]),
        Case(
            .sieve, ["\"IMPLEMENTATION\" \"x\"\r\n\"STARTTLS\"\r\nOK\r\n", "OK \"go\"\r\n"],
            ["STARTTLS\r\n", "open"]),
        Case(.sieve, ["OK\r\n", "NO\r\n"], ["STARTTLS\r\n", "refused(\"NO\")"]),
        Case(.sieve, ["* OK\r\n"], ["unexpected(\"* OK\")"]),
        Case(.mysql, [mysql(0x08)], [mysqlRequest, "open"]),
        Case(.mysql, [mysql(0)], ["refused(\"no TLS\")"]),
        Case(.mysql, ["\u{05}\0\0\0abcde"], ["unexpected(\"abcde\")"]),
        Case(.mysql, [mysql(0x08) + "x"], [mysqlRequest, "excess"]),
        Case(.mysql, ["\u{30}\0\0\0\u{0A}8.0"], ["incomplete"]),
        Case(.postgres, ["S"], ["\0\0\0\u{8}\u{4}…\u{16}/", "open"]),
        Case(.postgres, ["N"], ["\0\0\0\u{8}\u{4}…\u{16}/", "refused(\"N\")"]),
        Case(.postgres, ["SX"], ["\0\0\0\u{8}\u{4}…\u{16}/", "excess"]),
        Case(.postgres, ["E"], ["\0\0\0\u{8}\u{4}…\u{16}/", "unexpected(\"E\")"]),
    ]

    @Test("The client's messages and the end of the exchange follow from the server's messages", arguments: cases)
    func exchange(_ one: Case) throws {
        for size in [1, 3, Int.max] where one.server.allSatisfy({ $0.utf8.count < 1000 }) || size > 3 {
            // Bytes after the reply that arrive later belong to the handshake.
            if size < Int.max, one.client.last == "excess" || one.client.last?.hasPrefix("unexpected") == true {
                continue
            }
            var exchange = StartTLSExchange(one.kind, with: try HostName("a.test"))
            var found = [Self.text(exchange.opening)].filter { !$0.isEmpty }
            var end = "incomplete"
            do throws(StartTLSExchange.Failure) {
                for message in one.server {
                    var rest = Array(message.utf8)[...]
                    while !rest.isEmpty, end == "incomplete" {
                        var action = try exchange.receive(rest.prefix(size))
                        while case .send(let bytes) = action {
                            found.append(Self.text(bytes))
                            action = try exchange.receive([])
                        }
                        if action == .open { end = "open" }
                        rest = rest.dropFirst(size)
                    }
                }
            } catch {
                end = "\(error.problem)".replacing("HTTPTransport.StartTLSProblem.", with: "")
            }
            #expect(found + [end] == one.client, "\(one.kind) in pieces of \(size)")
        }
    }

    /// Returns bytes as text, in which a byte that is not ASCII is an ellipsis.
    private static func text(_ bytes: [UInt8]) -> String {
        bytes.reduce(into: "") { text, byte in
            if byte == 0xD2 { text += "…" } else { text.unicodeScalars.append(Unicode.Scalar(byte)) }
        }
    }

    @Test("Truncated and changed messages do not trap", arguments: StartTLS.allCases)
    func mutations(kind: StartTLS) throws {
        let servers = Self.cases.filter { $0.kind == kind }.map { Array($0.server.joined().utf8.prefix(200)) }
        for bytes in servers {
            for index in bytes.indices {
                for byte in [0, 0x0A, 0x30, 0x7F, 0x80, 0x84, 0xFF] as [UInt8] {
                    var exchange = StartTLSExchange(kind, with: try HostName("a.test"))
                    var changed = bytes
                    changed[index] = byte
                    _ = try? exchange.receive(changed)
                }
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Challenges
import Secrets
import Testing

@testable import Countersign
@testable import HTTPTransport

/// The client's messages, byte by byte (RFC 1928, RFC 1929).
@Suite struct SOCKSExchangeTests {
    private static func exchange(_ host: String = "a.test", _ port: Int = 443) throws -> SOCKSExchange {
        SOCKSExchange(to: HostEndpoint(host: try HostName(host), port: port))
    }

    @Test(
        "Host names are sent as names, and IP addresses as addresses",
        arguments: [
            (
                host: "a.test", port: 443,
                request: [5, 1, 0, 3, 6, 0x61, 0x2E, 0x74, 0x65, 0x73, 0x74, 1, 0xBB] as [UInt8]
            ),
            (host: "127.0.0.1", port: 80, request: [5, 1, 0, 1, 127, 0, 0, 1, 0, 80]),
            (
                host: "2001:db8::ff", port: 65_535,
                request: [5, 1, 0, 4, 0x20, 1, 0x0D, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF]
            ),
        ])
    func addresses(host: String, port: Int, request: [UInt8]) throws {
        var exchange = try Self.exchange(host, port)
        #expect(exchange.greeting == [5, 2, 0, 2])
        #expect(try exchange.receive([5, 0]) == .send(request))
    }

    /// The cases are all address types that a reply may contain.
    @Test(
        "Replies are parsed in pieces, with each address type",
        arguments: [
            [1, 127, 0, 0, 1, 0, 80], [3, 0, 0, 0], [3, 1, 0x61, 0, 0],
            [3, 255] + Array(repeating: 0x61, count: 255) + [0, 0],
            [4] + Array(repeating: 0, count: 18),
        ] as [[UInt8]])
    func replies(address: [UInt8]) throws {
        let reply: [UInt8] = [5, 0, 0] + address
        for split in 0..<reply.count {
            var exchange = try Self.exchange()
            #expect(try exchange.receive([5]) == nil)
            #expect(try exchange.receive([2]) == .askForLogin)
            #expect(
                try exchange.logIn(user: "m\u{E4}", password: Secret("pw")) == [1, 3, 0x6D, 0xC3, 0xA4, 2, 0x70, 0x77])
            #expect(try exchange.receive([1]) == nil)
            _ = try exchange.receive([0])
            #expect(try exchange.receive(reply[..<split]) == nil)
            // Early bytes of the destination stay available.
            #expect(try exchange.receive(Array(reply[split...]) + [0x48, 0x54]) == .open)
            #expect(exchange.received == [0x48, 0x54])
            #expect(try exchange.receive([0x50]) == nil)
            #expect(exchange.received == [0x48, 0x54, 0x50])
        }
    }

    struct Failing: Sendable, CustomTestStringConvertible {
        let replies: [[UInt8]]
        let failure: SOCKSExchange.Failure

        init(_ replies: [[UInt8]], _ failure: SOCKSExchange.Failure) {
            (self.replies, self.failure) = (replies, failure)
        }

        var testDescription: String { "\(replies)" }
    }

    static let failing: [Failing] = [
        Failing([[4, 0]], .malformed(.version(4))),
        Failing([Array("HTTP/1.1 400".utf8)], .malformed(.version(0x48))),
        Failing([[5, 0xFF]], .refused(.noAcceptableMethod)),
        Failing([[5, 1]], .malformed(.method(1))),
        Failing([[5, 0, 5]], .malformed(.excess)),
        Failing([[5, 2, 1]], .malformed(.excess)),
        Failing([[5, 2], [1]], .malformed(.excess)),
        Failing([[5, 0], [1]], .malformed(.version(1))),
        Failing([[5, 0], [5, 0, 1]], .malformed(.reserved(1))),
        Failing([[5, 0], [5, 0, 0, 2]], .malformed(.addressType(2))),
        Failing([[5, 0], [5, 0, 0, 0]], .malformed(.addressType(0))),
        // Some proxies send only the start of a refusal.
        Failing([[5, 0], [5, 5]], .refused(.connectionRefused)),
    ]

    @Test("A malformed reply is an error with its reason", arguments: failing)
    func malformed(row: Failing) throws {
        var exchange = try Self.exchange()
        for reply in row.replies.dropLast() { _ = try exchange.receive(reply) }
        #expect(throws: row.failure) { try exchange.receive(row.replies.last ?? []) }
    }

    @Test(
        "A login succeeds only with status zero",
        arguments: [
            ([1, 1], .loginRejected), ([1, 0xFF], .loginRejected), ([5, 0], .malformed(.version(5))),
        ] as [([UInt8], SOCKSExchange.Failure)])
    func loginStatus(reply: [UInt8], failure: SOCKSExchange.Failure) throws {
        var exchange = try Self.exchange()
        _ = try exchange.receive([5, 2])
        _ = try exchange.logIn(user: "mary", password: Secret("pw"))
        #expect(throws: failure) { try exchange.receive(reply) }
    }

    @Test(
        "User and password are limited to 255 bytes",
        arguments: [
            (user: 1, password: 0, isCarried: true), (user: 255, password: 255, isCarried: true),
            (user: 0, password: 1, isCarried: false), (user: 256, password: 1, isCarried: false),
            (user: 1, password: 256, isCarried: false),
        ])
    func lengths(user: Int, password: Int, isCarried: Bool) throws {
        var exchange = try Self.exchange()
        _ = try exchange.receive([5, 2])
        let message = try? exchange.logIn(
            user: String(repeating: "u", count: user), password: Secret(String(repeating: "p", count: password)))
        #expect(message?.count == (isCarried ? 3 + user + password : nil))
    }

    @Test(
        "Each reply code has its own error",
        arguments: [
            (1, .generalFailure), (2, .notAllowed), (3, .networkUnreachable), (4, .hostUnreachable),
            (5, .connectionRefused), (6, .timeToLiveExpired), (7, .commandNotSupported), (8, .addressTypeNotSupported),
            (9, .unassigned(9)), (255, .unassigned(255)),
        ] as [(UInt8, SessionError.SOCKSRefusal)])
    func refusals(code: UInt8, refusal: SessionError.SOCKSRefusal) throws {
        var exchange = try Self.exchange()
        _ = try exchange.receive([5, 0])
        #expect(throws: SOCKSExchange.Failure.refused(refusal)) {
            try exchange.receive([5, code, 0, 1, 0, 0, 0, 0, 0, 0])
        }
    }
}

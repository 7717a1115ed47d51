// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import Countersign
import HTTPTypes
import NIOCore
import TestServer
import Testing

/// Every handshake is a full one, as seen on the wire, so that no connection relies on the trust of another.
@Suite struct ResumptionTests {
    @Test("No connection resumes a TLS session", arguments: [HTTPSession.TLSVersions.onlyTLS12, .onlyTLS13, .all])
    func noResumption(versions: HTTPSession.TLSVersions) async throws {
        try await withLab { lab async throws in
            let tap = try await TestServer.start(repeating: [.forward(to: lab[.clientCertificateWanted].port)])
            let handlers: ChallengeHandlers = [
                .clientCertificate: .closure { _ in .use(.identity(lab.clientIdentity, persistence: .none)) }
            ]
            try await withSession(lab, handlers: handlers, change: { $0.tlsVersions = versions }) {
                session async throws in
                for _ in 0..<3 {
                    #expect(try await session.text("https://localhost:\(tap.port)/").status == 200)
                }
            }
            await tap.stop()
            let records = tap.records
            #expect(records.count == 3)
            for record in records {
                let hello = try #require(ClientHello(record.received))
                #expect(!hello.offersResumption)
                // The server offered a ticket (RFC 5077 section 3.3); in TLS 1.3 it is encrypted.
                if versions == .onlyTLS12 { #expect(record.givesTicket) }
            }
        }
    }

    /// The test's own parser detects the offers.
    @Test(
        "An offer to resume is detected in a ClientHello",
        arguments: [
            (session: 0, extensions: [(35, 0)], offers: false),
            (session: 0, extensions: [(35, 1)], offers: true),
            (session: 32, extensions: [(43, 1)], offers: true),
            (session: 32, extensions: [(43, 3), (51, 9)], offers: false),
            (session: 32, extensions: [(43, 3), (42, 0)], offers: true),
            (session: 32, extensions: [(43, 3), (41, 5)], offers: true),
        ])
    func detection(session: Int, extensions: [(Int, Int)], offers: Bool) throws {
        func short(_ value: Int) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 0xFF)] }
        let listed = extensions.flatMap { type, length in
            short(type) + short(length)
                + (type == 43 && length == 3 ? [2, 3, 4] : [UInt8](repeating: 0, count: length))
        }
        let body =
            [3, 3] + [UInt8](repeating: 7, count: 32) + [UInt8(session)] + [UInt8](repeating: 9, count: session)
            + short(2) + [0x13, 1] + [1, 0] + short(listed.count) + listed
        let hello = [1, 0] + short(body.count) + body
        #expect(try #require(ClientHello([22, 3, 1] + short(hello.count) + hello)).offersResumption == offers)
    }
}

extension TestServer.Record {
    /// Whether the server's records contain an unencrypted NewSessionTicket.
    fileprivate var givesTicket: Bool {
        var buffer = ByteBuffer(bytes: sent)
        while let type = buffer.readInteger(as: UInt8.self), buffer.readSlice(length: 2) != nil,
            let record = buffer.readLengthPrefixedSlice(as: UInt16.self)
        {
            if type == 22, record.getInteger(at: record.readerIndex, as: UInt8.self) == 4 { return true }
        }
        return false
    }
}

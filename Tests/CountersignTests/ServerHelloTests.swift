// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore
import Testing

@testable import Countersign

@Suite struct ServerHelloTests {
    private static func flight(sessionID: Int, suite: [UInt8]) -> [UInt8] {
        [22, 3, 3, 0, 90, 2, 0, 0, 86, 3, 3] + [UInt8](repeating: 7, count: 32) + [UInt8(sessionID)]
            + [UInt8](repeating: 9, count: sessionID) + suite + [0, 0, 0]
    }

    @Test(arguments: [(0, "TLS_AES_128_GCM_SHA256"), (32, "TLS_AES_128_GCM_SHA256")])
    func theSuiteIsRead(sessionID: Int, name: String) throws {
        let bytes = Self.flight(sessionID: sessionID, suite: [0x13, 0x01])
        let suite = try #require(ServerHelloObserver.cipherSuite(in: ByteBuffer(bytes: bytes)))
        #expect(CipherSuite.name(of: suite) == name)
    }

    @Test func everyPrefixIsIncomplete() {
        let bytes = Self.flight(sessionID: 32, suite: [0x13, 0x01]).dropLast(3)
        for length in 0..<bytes.count {
            #expect(ServerHelloObserver.cipherSuite(in: ByteBuffer(bytes: bytes.prefix(length))) == nil)
        }
    }

    @Test(arguments: [Array("HTTP/1.1 400 Bad Request\r\n".utf8), flight(sessionID: 33, suite: [0x13, 0x01])])
    func otherBytesAreNone(bytes: [UInt8]) {
        #expect(ServerHelloObserver.cipherSuite(in: ByteBuffer(bytes: bytes)) == nil)
    }

    @Test func anUnknownSuiteIsNamedByItsNumber() {
        #expect(CipherSuite.name(of: 0xFFFF) == "0xFFFF")
    }
}

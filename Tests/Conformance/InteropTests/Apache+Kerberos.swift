// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import Testing

extension Apache {
    /// Whether `make interop` has created a Kerberos realm.
    var hasKerberos: Bool { (try? value(Server.kerberos.rawValue)) != nil }

    /// The application data that binds a response to the server's certificate, with the hash from OpenSSL.
    func certificateBinding() throws -> [UInt8] {
        let digits = Array(try value("kerberosCertificate"))
        let hash = stride(from: 0, to: digits.count, by: 2)
            .compactMap { UInt8(String(digits[$0..<min($0 + 2, digits.count)]), radix: 16) }
        #expect(hash.count == 32)
        return Array("tls-server-end-point:".utf8) + hash
    }

    /// The tokens that a server has received from all tests.
    func negotiateTokens(sentTo server: Server) throws -> [[UInt8]] {
        let port = try #require(try url(server, "").split(separator: ":").last)
        let log = String(decoding: try Data(contentsOf: URL(filePath: try value("kerberosAnswers"))), as: UTF8.self)
        let tokens = log.split(separator: "\n").compactMap { line -> [UInt8]? in
            let words = line.split(separator: " ")
            guard words.count == 3, words[0] == port, words[1] == "Negotiate" else { return nil }
            return Data(base64Encoded: String(words[2])).map(Array.init)
        }
        return try #require(tokens.isEmpty ? nil : tokens)
    }
}

extension Trait where Self == ConditionTrait {
    /// Skips a test if `make interop` has not created a Kerberos realm, because the programs for it are missing.
    static var kerberos: Self {
        .enabled("there is no realm: run make interop on Linux") {
            try InteropValues.file != nil && Apache().hasKerberos
        }
    }
}

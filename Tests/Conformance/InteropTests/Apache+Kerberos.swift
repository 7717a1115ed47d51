// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import Testing

extension Apache {
    /// Whether `make interop` has made a realm of Kerberos.
    var hasKerberos: Bool { (try? value(Server.kerberos.rawValue)) != nil }

    /// The application data that binds an answer to the server's certificate, as openssl hashes it.
    func certificateBinding() throws -> [UInt8] {
        let digits = Array(try value("kerberosCertificate"))
        let hash = stride(from: 0, to: digits.count, by: 2)
            .compactMap { UInt8(String(digits[$0..<min($0 + 2, digits.count)]), radix: 16) }
        #expect(hash.count == 32)
        return Array("tls-server-end-point:".utf8) + hash
    }

    /// What a server was sent, by whatever test.
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
    /// Skips where `make interop` has not made a realm of Kerberos, because there was nothing to make it with.
    static var kerberos: Self {
        .enabled("there is no realm: run make interop on Linux") {
            try InteropValues.file != nil && Apache().hasKerberos
        }
    }
}

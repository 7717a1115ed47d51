// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import Crypto
import CryptoExtras
import Secrets
import Turns

/// The challenge of RFC 7616's example, a credential, and the measured operations.
struct DigestWork {
    enum Algorithm: String, CaseIterable {
        case md5 = "MD5"
        case sha256 = "SHA-256"
        case sha512Half = "SHA-512-256"
    }

    static let credential = Credential.password(user: "Mufasa", password: Secret("Circle of Life"))
    static let request = RequestFacts(method: "GET", target: "/dir/index.html")

    let algorithm: Algorithm
    let field: String
    private let remembered: any HTTPAuthenticator

    init(_ algorithm: Algorithm) throws {
        self.algorithm = algorithm
        field = """
            Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=\(algorithm.rawValue), \
            nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"
            """
        remembered = try Self.authenticator(for: field)
    }

    static func authenticator(for field: String) throws -> any HTTPAuthenticator {
        guard let challenge = try HTTPChallenge.parse([field]).first,
            let authenticator = try AuthenticatorRegistry().authenticator(for: challenge)
        else { throw BenchError.notAnswered(field) }
        return authenticator
    }

    /// The measured operations, of which the first is the minimum: the three hashes of RFC 7616 section 3.4.1.
    var contenders: [Contender] {
        let hashes =
            switch algorithm {
            case .md5: Self.hashes(Insecure.MD5.self)
            case .sha256: Self.hashes(SHA256.self)
            case .sha512Half: Self.hashes(SHA512256.self)
            }
        var authenticator = remembered
        return [
            .brief("the three hashes (swift-crypto)", once: hashes),
            .brief("read and answered") {
                var fresh = try Self.authenticator(for: field)
                _ = try fresh.authorization(with: Self.credential, for: Self.request)
            },
            .brief("read only") { _ = try HTTPChallenge.parse([field]) },
            .brief("answered again, unasked") {
                _ = try authenticator.authorization(with: Self.credential, for: Self.request)
            },
        ]
    }

    private static func hashes<Function: HashFunction>(_ function: Function.Type) -> () -> Void {
        let account = Array("Mufasa:http-auth@example.org:Circle of Life".utf8)
        let subject = Array("GET:/dir/index.html".utf8)
        let digits = 4 * Function.Digest.byteCount
        let answer =
            [UInt8](repeating: 0x30, count: digits)
            + Array(":7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v:00000001:AAAAAAAAAAAAAAA:auth:".utf8)
        return {
            for text in [account, subject, answer] { _ = Function.hash(data: text) }
        }
    }
}

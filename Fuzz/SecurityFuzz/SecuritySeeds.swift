// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import Secrets
import WSSecurity

/// Messages of both SOAP versions that are signed, with a user name token, and encrypted.
enum SecuritySeeds {
    static let secret: [UInt8] = Array("a secret".utf8)
    static let contentKey = [UInt8](repeating: 9, count: 16)
    static let time = Date(timeIntervalSince1970: 1_790_000_000)

    /// The end of each signed Body.
    static let content = "><a><b c=\"d\">text &amp;</b></a></s:Body>"

    static func all() async throws -> [[UInt8]] {
        var seeds: [[UInt8]] = []
        for namespace in ["http://schemas.xmlsoap.org/soap/envelope/", "http://www.w3.org/2003/05/soap-envelope"] {
            let envelope = "<s:Envelope xmlns:s=\"\(namespace)\"><s:Header/><s:Body\(content)</s:Envelope>"
            let signature = MessageSignature(key: try SharedSigningKey(secret), certificates: [])
            let user = UsernameToken(user: "ann", password: Secret(utf8: secret))
            let security = MessageSecurity(usernameToken: user, signature: signature)
            seeds.append(
                try await security.secure(Array(envelope.utf8), at: time) { [UInt8](repeating: 1, count: $0) })
        }
        return seeds
    }
}

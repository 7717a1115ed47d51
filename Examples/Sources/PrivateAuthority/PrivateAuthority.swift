// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
import Foundation

/// Gets a URL from a server of a private authority, with a client certificate from PKCS#12.
///
/// Usage: PrivateAuthority URL ROOT.pem CLIENT.p12 PASSPHRASE-FILE
@main struct PrivateAuthority {
    static func main() async {
        let arguments = CommandLine.arguments
        guard arguments.count == 5, let url = URL(string: arguments[1]), let host = url.host() else {
            print("Usage: PrivateAuthority URL ROOT.pem CLIENT.p12 PASSPHRASE-FILE")
            exit(2)
        }
        do {
            let passphrase = try String(contentsOf: URL(filePath: arguments[4]), encoding: .utf8)
            let identity = try Identity(
                contentsOf: URL(filePath: arguments[3]),
                passphrase: Secret(passphrase.trimmingCharacters(in: .newlines)))
            let session = HTTPSession(
                trust: TrustPolicy(anchors: try .only(contentsOf: URL(filePath: arguments[2]))),
                handlers: [.clientCertificate: .identity(identity, host: host)])
            let response = try await session.get(arguments[1]).expecting(.successful)
            print(try await response.text())
            await session.close()
        } catch {
            // Every error describes the problem, its reason, and possible remedies.
            print(error)
            exit(1)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
import Foundation

/// Gets a page behind Digest or NTLM through a proxy that requires Basic.
///
/// Usage: Passwords URL ROOT.pem USER PASSWORD-FILE PROXY PROXY-USER PROXY-PASSWORD-FILE
@main struct Passwords {
    static func main() async {
        let arguments = CommandLine.arguments
        guard arguments.count == 8, let url = URL(string: arguments[1]), let host = url.host(),
            let proxyHost = URL(string: arguments[5])?.host()
        else {
            print("Usage: Passwords URL ROOT.pem USER PASSWORD-FILE PROXY PROXY-USER PROXY-PASSWORD-FILE")
            exit(2)
        }
        do {
            let origin = PasswordHandler(
                user: arguments[3], password: try password(in: arguments[4]), host: host, port: url.port)
            let session = HTTPSession(
                trust: TrustPolicy(anchors: try .only(contentsOf: URL(filePath: arguments[2]))),
                handlers: [
                    .digest: origin,
                    .ntlm: origin,
                    .basic: .password(
                        user: arguments[6], password: try password(in: arguments[7]), host: proxyHost, role: .proxy),
                ],
                proxy: try Proxy(arguments[5]))
            print(try await session.get(arguments[1]).expecting(.successful).text())
            await session.close()
        } catch {
            print(error)
            exit(1)
        }
    }

    static func password(in file: String) throws -> Secret {
        Secret(try String(contentsOf: URL(filePath: file), encoding: .utf8).trimmingCharacters(in: .newlines))
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
import Foundation

/// Gets a page only from the server with a pinned key, although other servers of its authority are trusted.
///
/// Usage: PinnedKey URL ROOT.pem PIN
@main struct PinnedKey {
    static func main() async {
        let arguments = CommandLine.arguments
        guard arguments.count == 4, let name = URL(string: arguments[1])?.host() else {
            print("Usage: PinnedKey URL ROOT.pem PIN")
            exit(2)
        }
        do {
            let host = try HostName(name)
            let pin = try Pin(arguments[3])
            var configuration = HTTPSession.Configuration()
            configuration.trust = TrustPolicy(anchors: try .only(contentsOf: URL(filePath: arguments[2])))
            // A handler for .serverTrust would be asked only about servers that the policy does not trust.
            configuration.serverTrustDecision = { trust in
                guard trust.endpoint.host == host else { return .performDefault }
                return trust.chain.leaf.publicKeyPin == pin ? .performDefault : .refuse
            }
            let session = HTTPSession(configuration)
            print(try await session.get(arguments[1]).expecting(.successful).text())
            await session.close()
        } catch {
            print(error)
            exit(1)
        }
    }
}

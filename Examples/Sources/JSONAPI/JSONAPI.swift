// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
import Foundation

struct Bolt: Codable, Sendable {
    var name: String
    var size: Int
}

/// Adds a bolt to a shop with a JSON interface, and gets it again.
///
/// Usage: JSONAPI URL TOKEN-FILE NAME SIZE [ROOT.pem]
@main struct JSONAPI {
    static func main() async {
        let arguments = CommandLine.arguments
        guard (5...6).contains(arguments.count), let url = URL(string: arguments[1]), let size = Int(arguments[4])
        else {
            print("Usage: JSONAPI URL TOKEN-FILE NAME SIZE [ROOT.pem]")
            exit(2)
        }
        do {
            let text = try String(contentsOf: URL(filePath: arguments[2]), encoding: .utf8)
            let token = Secret(text.trimmingCharacters(in: .newlines))
            var configuration = HTTPSession.Configuration()
            if arguments.count == 6 {
                configuration.trust = TrustPolicy(anchors: try .only(contentsOf: URL(filePath: arguments[5])))
            }
            let session = HTTPSession(configuration)
            let bolt = Bolt(name: arguments[3], size: size)
            let added = try await session.send(
                .post(url.appending(path: "bolts")).json(bolt).bearer(token).timeout(total: .seconds(10)), as: Bolt.self
            )
            print("Added", added)
            let found = try await session.send(
                .get(url.appending(path: "bolts/\(size)")).bearer(token)
                    .timeout(total: .seconds(30), attempt: .seconds(3)).retries(.upTo(2)),
                as: Bolt.self)
            print("Found", found)
            await session.close()
        } catch SessionError.response(.unexpectedStatus(let response)) where response.status == .unauthorized {
            print("The server refused the token in \(arguments[2]).")
            exit(1)
        } catch {
            print(error)
            exit(1)
        }
    }
}

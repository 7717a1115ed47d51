// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
import Foundation

/// Gets a page from a device without a trusted certificate: asks once, and requires the same key afterwards.
///
/// Usage: FirstUse [--yes] URL FOLDER | FirstUse forget URL FOLDER
@main struct FirstUse {
    static func main() async {
        var arguments = CommandLine.arguments.dropFirst()
        let option = arguments.count == 3 ? arguments.removeFirst() : nil
        guard arguments.count == 2, [nil, "--yes", "forget"].contains(option), let url = arguments.first,
            let folder = arguments.last
        else {
            print("Usage: FirstUse [--yes] URL FOLDER | FirstUse forget URL FOLDER")
            exit(2)
        }
        do {
            let memory = try FileServerMemory(folder: URL(filePath: folder))
            var configuration = HTTPSession.Configuration(trust: TrustPolicy(validation: .firstUse))
            configuration.serverMemory = memory.confirming { server, endpoint, verdict in
                if option == "--yes" { return true }
                print(verdict.explanation)
                print("Trust \(endpoint) with the key \(server.key)? (yes or no)")
                return readLine() == "yes"
            }
            if option == "forget" {
                try await memory.forget(HostEndpoint(of: url))
                return
            }
            let session = HTTPSession(configuration)
            print(try await session.get(url).expecting(.successful).text())
            await session.close()
        } catch {
            print(error)
            exit(1)
        }
    }
}

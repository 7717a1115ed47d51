// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
import Foundation

/// Gets many pages within a time, over at most eight connections, and counts the failures by their error codes.
///
/// Usage: ManyPages SECONDS ROOT.pem URL...
@main struct ManyPages {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count > 3, let seconds = Int(arguments[1]) else {
            print("Usage: ManyPages SECONDS ROOT.pem URL...")
            exit(2)
        }
        var configuration = HTTPSession.Configuration()
        configuration.trust.anchors = try .systemAnd(contentsOf: URL(filePath: arguments[2]))
        configuration.connectionLimits.total = 8
        configuration.retries = .upTo(2)
        // All requests start at once, so the total timeout is a common deadline.
        configuration.totalTimeout = .seconds(seconds)
        configuration.poolTimeout = .seconds(seconds)
        let session = HTTPSession(configuration)
        var failures: [String: Int] = [:]
        await withTaskGroup { group in
            for url in arguments.dropFirst(3) {
                group.addTask {
                    do {
                        let body = try await session.get(url).expecting(.successful).bytes()
                        print("\(url): \(body.count) bytes")
                        return ""
                    } catch {
                        print("\(url): \(error)")
                        return (error as? SessionError)?.code ?? "other"
                    }
                }
            }
            for await code in group where !code.isEmpty { failures[code, default: 0] += 1 }
        }
        await session.close()
        for (code, count) in failures.sorted(by: { $0.key < $1.key }) { print("\(count) × \(code)") }
        exit(failures.isEmpty ? 0 : 1)
    }
}

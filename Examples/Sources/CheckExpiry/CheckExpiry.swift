// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
import Foundation

/// Prints when the certificates of servers expire, and why a server is not trusted.
///
/// It sends no request, and fails if a certificate is not trusted, or expires within the given number of days.
///
/// Usage: CheckExpiry ROOT.pem DAYS URL...
@main struct CheckExpiry {
    static func main() async {
        let arguments = CommandLine.arguments
        guard arguments.count > 3, let minimum = Int(arguments[2]) else {
            print("Usage: CheckExpiry ROOT.pem DAYS URL...")
            exit(2)
        }
        do {
            let anchors = try TrustPolicy.Anchors.systemAnd(contentsOf: URL(filePath: arguments[1]))
            let session = HTTPSession(trust: TrustPolicy(anchors: anchors))
            var problems = 0
            for url in arguments.dropFirst(3) {
                do {
                    let trust = try await session.inspect(url)
                    let days = Int(trust.chain.leaf.notAfter.timeIntervalSinceNow / 86400)
                    let state = trust.verdict.isTrusted ? "trusted" : "not trusted"
                    print("\(url): \(state), \(days) days left")
                    if !trust.verdict.isTrusted { print(trust.verdict.explanation) }
                    if !trust.verdict.isTrusted || days < minimum { problems += 1 }
                } catch {
                    print("\(url): \(error)")
                    problems += 1
                }
            }
            await session.close()
            exit(problems == 0 ? 0 : 1)
        } catch {
            print(error)
            exit(1)
        }
    }
}

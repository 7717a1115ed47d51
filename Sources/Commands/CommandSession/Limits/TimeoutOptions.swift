// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import ArgumentParser
package import CommandSupport
package import Countersign

/// How long to wait, and how often to try.
package struct TimeoutOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "How long a connection may take to open, and then a proxy or a server be silent before it is ready: 30 without it.",
            valueName: "seconds"), transform: Self.seconds)
    package var connectTimeout: Duration?

    @Option(
        name: [.customShort("m", allowingJoined: true), .long],
        help: ArgumentHelp(
            "How long all of it may take: reading files, challenges, redirects, and writing the output; without it there is no limit.",
            valueName: "seconds"), transform: Self.seconds)
    package var maxTime: Duration?

    @Option(
        help: ArgumentHelp(
            "How many more times to send the request where that may help; never without it.",
            discussion: """
                That is where no connection was made, where it ended before a response, and after a status of 429 or 503, as \
                late as Retry-After says. What may have changed something on the server, such as a POST, is not sent again.
                """, valueName: "number"), transform: Self.attempts)
    package var retry: Int?

    @Option(
        help: ArgumentHelp(
            "Send nothing again later than this after the start: 120 without it.", valueName: "seconds"),
        transform: Self.seconds)
    package var retryMaxTime: Duration?

    package init() {}

    package func refuseFlagsWithoutUse() throws(UsageError) {
        if retry == nil, retryMaxTime != nil { throw .useless("--retry-max-time", without: "--retry") }
    }

    package func apply(to configuration: inout Session.Configuration) {
        if let connectTimeout {
            (configuration.connectTimeout, configuration.handshakeTimeout) = (connectTimeout, connectTimeout)
        }
        // The clock of ``TimeLimit`` comes first, because it knows which file took the time.
        configuration.totalTimeout = maxTime.map { $0 + .milliseconds(200) }
        guard let retry else { return }
        configuration.retries = .upTo(retry)
        if let retryMaxTime { configuration.retries.totalTime = retryMaxTime }
    }

    /// A day is longer than any useful limit, and less than overflows.
    private static let limit = 86_400.0
    private static let attemptLimit = 1_000

    private static func seconds(_ text: String) throws -> Duration {
        guard let seconds = Double(text), seconds >= 0.001, seconds <= limit else {
            throw WrongValue("write seconds, such as 5 or 0.5, up to \(Int(limit))")
        }
        return .milliseconds(Int((seconds * 1_000).rounded()))
    }

    private static func attempts(_ text: String) throws -> Int {
        guard let count = Int(text), (0...attemptLimit).contains(count) else {
            throw WrongValue("write a number from 0 to \(attemptLimit)")
        }
        return count
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import ArgumentParser
package import CommandSupport
package import Countersign

/// The options for the protocol versions.
package struct ProtocolOptions: ParsableArguments {
    package enum TLSVersion: String, ExpressibleByArgument, CaseIterable {
        case tls12 = "1.2"
        case tls13 = "1.3"
    }

    @Flag(name: .customLong("http1.1"), help: "Use HTTP/1.1, even if the server offers HTTP/2.")
    package var http11 = false

    @Flag(
        name: .customLong("http2"), help: "Use only HTTP/2; with plain http, without negotiation.")
    package var http2 = false

    @Flag(
        help: ArgumentHelp(
            "Follow redirects from https to http, which is not encrypted.",
            discussion: "Without it, such a redirect is an error. Anyone on the path can read and change what follows.")
    )
    package var allowRedirectsToPlainHTTP = false

    @Flag(
        help: ArgumentHelp(
            "Accept response heads whose lines end in LF instead of CR LF, as some old devices send them.",
            discussion: "Chunk sizes and trailers still need CR LF, and a CR alone is always refused."))
    package var allowBareLineFeeds = false

    @Option(
        help: ArgumentHelp(
            "The maximum number of decompressed bytes for each received byte; 100 by default.",
            discussion: "It applies to bodies that are larger than 64 MiB when they are decompressed.",
            valueName: "number"),
        transform: Self.ratio)
    package var maxExpansionRatio: Int?

    @Option(help: ArgumentHelp("The lowest version of TLS: 1.2 or 1.3.", valueName: "version"))
    package var tlsMin: TLSVersion = .tls12

    @Option(help: ArgumentHelp("The highest version of TLS: 1.2 or 1.3.", valueName: "version"))
    package var tlsMax: TLSVersion = .tls13

    package init() {}

    package func checkContradictions() throws(UsageError) {
        if http11, http2 { throw .contradiction("--http1.1", "--http2") }
        if tlsMin == .tls13, tlsMax == .tls12 { throw .contradiction("--tls-min 1.3", "--tls-max 1.2") }
    }

    package func apply(to configuration: inout HTTPSession.Configuration) {
        configuration.httpVersions = http11 ? .onlyHTTP1 : http2 ? .onlyHTTP2 : .all
        configuration.allowsRedirectsToPlainHTTP = allowRedirectsToPlainHTTP
        configuration.allowsBareLineFeeds = allowBareLineFeeds
        if let maxExpansionRatio { configuration.expansionLimit.ratio = maxExpansionRatio }
        configuration.tlsVersions =
            switch (tlsMin, tlsMax) {
            case (_, .tls12): .onlyTLS12
            case (.tls13, _): .onlyTLS13
            case (.tls12, .tls13): .all
            }
    }

    private static func ratio(_ text: String) throws(WrongValue) -> Int {
        guard let ratio = Int(text), ratio >= 1 else { throw WrongValue("write a number from 1") }
        return ratio
    }
}

/// The options for timeouts.
package struct TimeLimitOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The timeout for opening a connection, and for silence in the handshakes that follow; 30 by default.",
            valueName: "seconds"), transform: Self.seconds)
    package var connectTimeout: Duration?

    @Option(
        name: [.customShort("m", allowingJoined: true), .long],
        help: ArgumentHelp(
            "The total timeout, including reading files, challenges, redirects, and writing the output; no limit by default.",
            valueName: "seconds"), transform: Self.seconds)
    package var maxTime: Duration?

    package init() {}

    package func apply(to configuration: inout HTTPSession.Configuration) {
        if let connectTimeout {
            (configuration.connectTimeout, configuration.handshakeTimeout) = (connectTimeout, connectTimeout)
        }
        // The clock of ``TimeLimit`` expires first, because it knows which file took the time.
        configuration.totalTimeout = maxTime.map { $0 + .milliseconds(200) }
    }

    /// The longest timeout, a day: longer than any useful limit, and short enough not to overflow.
    private static let limit = 86_400.0

    static func seconds(_ text: String) throws -> Duration {
        guard let seconds = Double(text), seconds >= 0.001, seconds <= limit else {
            throw WrongValue("write seconds, such as 5 or 0.5, up to \(Int(limit))")
        }
        return .milliseconds(Int((seconds * 1_000).rounded()))
    }
}

/// The options for timeouts and retries.
package struct TimeoutOptions: ParsableArguments {
    @OptionGroup
    package var limits: TimeLimitOptions

    @Option(
        help: ArgumentHelp(
            "The maximum number of retries; 0 by default.",
            discussion: """
                A request is sent again if no connection was made, if it ended before a response, and after a status of 429 or 503, as \
                late as Retry-After says. A request that may have changed something on the server, such as a POST, is not sent again.
                """, valueName: "number"), transform: Self.attempts)
    package var retry: Int?

    @Option(
        help: ArgumentHelp(
            "The time after the start until which a request may be sent again; 120 by default.", valueName: "seconds"),
        transform: TimeLimitOptions.seconds)
    package var retryMaxTime: Duration?

    package init() {}

    package func checkUnusedOptions() throws(UsageError) {
        if retry == nil, retryMaxTime != nil { throw .useless("--retry-max-time", without: "--retry") }
    }

    package func apply(to configuration: inout HTTPSession.Configuration) {
        limits.apply(to: &configuration)
        guard let retry else { return }
        configuration.retries = .upTo(retry)
        if let retryMaxTime { configuration.retries.totalTime = retryMaxTime }
    }

    private static let attemptLimit = 1_000

    private static func attempts(_ text: String) throws -> Int {
        guard let count = Int(text), (0...attemptLimit).contains(count) else {
            throw WrongValue("write a number from 0 to \(attemptLimit)")
        }
        return count
    }
}

/// The error for an option's value, with the text that ends the usage error.
package struct WrongValue: Error, Hashable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}

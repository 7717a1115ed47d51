// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import ArgumentParser
package import CommandSupport
package import Countersign

/// Which versions of the protocols may be spoken.
package struct ProtocolOptions: ParsableArguments {
    package enum TLSVersion: String, ExpressibleByArgument, CaseIterable {
        case tls12 = "1.2"
        case tls13 = "1.3"
    }

    @Flag(name: .customLong("http1.1"), help: "Speak HTTP/1.1, also where the server offers HTTP/2.")
    package var http11 = false

    @Flag(
        name: .customLong("http2"), help: "Speak HTTP/2 or nothing: to a server of plain http without asking it first.")
    package var http2 = false

    @Flag(
        help: ArgumentHelp(
            "Follow redirects from https to http, which is not encrypted.",
            discussion: "Without it such a redirect is an error. Everyone on the way can read and change what follows.")
    )
    package var allowRedirectsToPlainHTTP = false

    @Flag(
        help: ArgumentHelp(
            "Accept heads of responses whose lines end in LF instead of CR LF, as some old devices send them.",
            discussion: "Chunk sizes and trailers still need CR LF, and a CR alone is always refused."))
    package var allowBareLineFeeds = false

    @Option(help: ArgumentHelp("The lowest version of TLS: 1.2 or 1.3.", valueName: "version"))
    package var tlsMin: TLSVersion = .tls12

    @Option(help: ArgumentHelp("The highest version of TLS: 1.2 or 1.3.", valueName: "version"))
    package var tlsMax: TLSVersion = .tls13

    package init() {}

    package func refuseContradictions() throws(UsageError) {
        if http11, http2 { throw .contradiction("--http1.1", "--http2") }
        if tlsMin == .tls13, tlsMax == .tls12 { throw .contradiction("--tls-min 1.3", "--tls-max 1.2") }
    }

    package func apply(to configuration: inout Session.Configuration) {
        configuration.httpVersions = http11 ? .onlyHTTP1 : http2 ? .onlyHTTP2 : .all
        configuration.allowsRedirectsToPlainHTTP = allowRedirectsToPlainHTTP
        configuration.allowsBareLineFeeds = allowBareLineFeeds
        configuration.tlsVersions =
            switch (tlsMin, tlsMax) {
            case (_, .tls12): .onlyTLS12
            case (.tls13, _): .onlyTLS13
            case (.tls12, .tls13): .all
            }
    }
}

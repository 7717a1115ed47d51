// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import ArgumentParser

/// The options that all clients of the comparison share.
package struct LoadOptions: ParsableArguments {
    package enum Version: String, ExpressibleByArgument {
        case http1 = "1.1"
        case http2 = "2"
    }

    @Argument(help: "The URL, in which * is replaced by h0, h1 and so on, which all resolve to 127.0.0.1.")
    package var url: String

    @Option(help: "The trusted root certificate in PEM; without it, the system's.")
    package var ca: String?

    @Option(help: "The client's certificate and key, PEM.")
    package var identity: String?

    @Option(help: "The number of concurrent requests.")
    package var concurrency = 1

    @Option(help: "The number of measured requests.")
    package var count = 1

    @Option(help: "The number of requests before the measurement.")
    package var warmUp = 0

    @Option(help: "The HTTP version, 1.1 or 2.")
    package var http = Version.http1

    @Option(help: "The number of hosts among which the requests are distributed.")
    package var hosts = 1

    @Option(help: "The size of a body that is sent with PUT, in bytes, instead of GET.")
    package var upload: Int?

    @Flag(help: "Append the number of each request to the URL, and expect a body that consists of the URL's path.")
    package var numbered = false

    package init() {}

    /// The host names of a URL with a placeholder; empty if the URL has none.
    package var hostNames: [String] {
        guard let authority = url.split(separator: "/", omittingEmptySubsequences: true).dropFirst().first,
            authority.contains("*")
        else { return [] }
        let pattern = String(authority.prefix { $0 != ":" })
        return (0..<hosts).map { pattern.replacing("*", with: "h\($0)") }
    }

    /// The URLs that the requests use in turn.
    package var urls: [String] {
        hostNames.isEmpty ? [url] : (0..<hosts).map { url.replacing("*", with: "h\($0)") }
    }

    /// The port of the URL.
    package var port: Int {
        let authority = url.split(separator: "/", omittingEmptySubsequences: true).dropFirst().first ?? ""
        return Int(authority.drop { $0 != ":" }.dropFirst()) ?? 443
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Countersign

/// Where a service is; nothing of it is authenticated.
struct FoundService: Hashable, Sendable {
    let name: ServiceName
    /// The host and the port of the URL.
    let endpoint: Endpoint
    /// Where connections go.
    let destination: Endpoint
    let url: String

    /// - Parameters:
    ///   - answers: Those of the program, of which each is for one interface.
    ///   - name: The service that was asked for.
    ///   - host: The host that its certificate must be for; `nil` takes the one that was found.
    /// - Throws: ``ServiceError``.
    init(_ answers: [ServiceAnswer], name: ServiceName, host: HostName?) throws(ServiceError) {
        guard let first = answers.first else { throw .notFound(name.text) }
        let places = Set(answers.map(\.place))
        guard places.count == 1 else { throw .ambiguous(name.text, places.sorted()) }
        guard let found = try? HostName(first.host), !found.isAddress, found.description.hasSuffix(".local"),
            (1...65_535).contains(first.port)
        else { throw .foreignHost(name.text, host: first.host) }
        let addresses = answers.flatMap(\.addresses).compactMap { try? HostName($0) }.filter(\.isAddress)
        guard let address = addresses.first(where: { !$0.isLinkLocalIPv6 }) else {
            throw .noAddress(name.text, host: found.description)
        }
        self.name = name
        endpoint = Endpoint(host: host ?? found, port: first.port)
        destination = Endpoint(host: address, port: first.port)
        url = (name.isSecure ? "https://" : "http://") + endpoint.description + Self.path(first.path)
    }

    /// The path that the service announces (RFC 6763 section 6; the key is that of `_http._tcp`), as a URL can hold it.
    private static func path(_ text: String) -> String {
        let path = text.hasPrefix("/") ? text : "/" + text
        return path.utf8.map { byte in
            (0x21...0x7E).contains(byte) && !outsidePaths.contains(byte)
                ? String(UnicodeScalar(byte))
                : "%" + (byte < 0x10 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }.joined()
    }

    /// What a path with a query cannot hold (RFC 3986 section 3.3).
    private static let outsidePaths = Set("\"#<>\\^`{|}[]".utf8)
}

/// An answer of `countersign-discover`.
struct ServiceAnswer: Hashable, Sendable {
    let host: String
    let port: Int
    let addresses: [String]
    let path: String

    var place: String { "\(host.hasSuffix(".") ? String(host.dropLast()) : host):\(port)" }
}

extension HostName {
    /// Whether it needs the name of an interface beside it (RFC 4007).
    fileprivate var isLinkLocalIPv6: Bool {
        guard let bytes = addressBytes, bytes.count == 16 else { return false }
        return bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import CommandSupport
import Countersign
import Encodings
import ErrorExplanations
import EssentialFoundation

/// Resolves a service with the program `countersign-discover`.
struct ServiceLookup: Sendable {
    /// An event of the program, which prints one JSON object a line.
    private struct Event: Decodable {
        let event: String
        let host: String?
        let port: Int?
        let addresses: [String]?
        let txt: [String: String?]?
        let code: String?
        let message: String?
        let reason: String?
        let advice: String?
    }

    /// The timeout for answers, in seconds.
    private static let timeout = 5

    /// The path of the program.
    let program: String

    /// Resolves a service.
    ///
    /// - Returns: An answer for each interface; not empty.
    /// - Throws: ``ServiceError``, `FileError`, `CancellationError`.
    func answers(for name: ServiceName) async throws -> [ServiceAnswer] {
        let folder = try PrivateFolder(prefix: "countersign-service-")
        defer { folder.remove() }
        let output = folder.path + "/output"
        let termination = try await TimedProgram(
            [program, "--json", "--timeout", String(Self.timeout), "--", name.text], output: output,
            errors: folder.path + "/errors"
        ).run(within: .seconds(2 * Self.timeout))
        let lines = try InputFile.read(output).split(separator: UInt8(ascii: "\n"))
        let events = lines.compactMap { try? JSONDecoder().decode(Event.self, from: Data($0)) }
        if let error = events.last(where: { $0.event == "failed" }) { throw Self.error(error, name) }
        guard termination == .exited(0) else { throw ServiceError.ended }
        let answers = events.filter { $0.event == "resolved" }.compactMap { event -> ServiceAnswer? in
            guard let host = event.host, let port = event.port else { return nil }
            let path = event.txt?.first { $0.key.lowercased() == "path" }?.value ?? "/"
            return ServiceAnswer(host: host, port: port, addresses: event.addresses ?? [], path: path)
        }
        guard !answers.isEmpty else { throw ServiceError.notFound(name.text) }
        return answers
    }

    private static func error(_ event: Event, _ name: ServiceName) -> ServiceError {
        guard let code = event.code, code != "discover.not-found" else { return .notFound(name.text) }
        return .discovery(
            ErrorExplanation(
                code, event.message ?? "", reason: event.reason ?? "", advice: event.advice ?? ""))
    }
}

/// The announced name of a web server on the local network (RFC 6763 section 4.1), such as
/// `Lab basic._https._tcp.local`.
struct ServiceName: Hashable, Sendable {
    /// The name as typed on the command line.
    let text: String
    /// The name for display, which may contain dots.
    let label: String
    /// Whether the service uses TLS.
    let isSecure: Bool

    /// Parses an argument.
    ///
    /// - Returns: The name, or `nil` for a URL or a text without a protocol label, which cannot be a service.
    /// - Throws: ``ServiceError`` for a service name that cannot be used.
    init?(_ text: String) throws(ServiceError) {
        var labels = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        let isProtocol = { (label: String) in ["_tcp", "_udp"].contains(label.lowercased()) }
        guard !text.contains("://"), labels.contains(where: isProtocol) else { return nil }
        if labels.last == "" { labels.removeLast() }
        if labels.last?.lowercased() == "local" { labels.removeLast() }
        guard let last = labels.popLast(), isProtocol(last) else { throw .notLocal(text) }
        let type = labels.popLast() ?? ""
        guard last.lowercased() == "_tcp", ["_http", "_https"].contains(type.lowercased()), labels.last != "_sub" else {
            throw .notWeb(text)
        }
        label = labels.joined(separator: ".")
        guard (1...63).contains(label.utf8.count) else { throw .malformed(text) }
        (self.text, isSecure) = (text, type.lowercased() == "_https")
    }
}

/// A discovered service; none of its properties are authenticated.
struct FoundService: Hashable, Sendable {
    let name: ServiceName
    /// The host and the port of the URL.
    let endpoint: HostEndpoint
    /// The endpoint to connect to.
    let destination: HostEndpoint
    let url: String

    /// - Parameters:
    ///   - answers: The answers of the program, one for each interface.
    ///   - name: The requested service.
    ///   - host: The host for which its certificate must be valid; `nil` uses the discovered host.
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
        endpoint = HostEndpoint(host: host ?? found, port: first.port)
        destination = HostEndpoint(host: address, port: first.port)
        url = (name.isSecure ? "https://" : "http://") + endpoint.description + Self.path(first.path)
    }

    /// Returns the path that the service announces, encoded for a URL (RFC 6763 section 6; the key is that of
    /// `_http._tcp`).
    private static func path(_ text: String) -> String {
        let path = text.hasPrefix("/") ? text : "/" + text
        return PercentEncoding.encode(path.utf8) { (0x21...0x7E).contains($0) && !outsidePaths.contains($0) }
    }

    /// The characters that a path with a query cannot contain (RFC 3986 section 3.3).
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
    /// Whether the address requires an interface name (RFC 4007).
    fileprivate var isLinkLocalIPv6: Bool {
        guard let bytes = addressBytes, bytes.count == 16 else { return false }
        return bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80
    }
}

/// The program `countersign-discover` of the package `Nearby`, which implements multicast DNS.
enum DiscoverProgram {
    /// Returns the path of the program.
    ///
    /// - Throws: ``ServiceError/notInstalled``.
    static func path(_ commands: ExternalCommands = .installed()) throws(ServiceError) -> String {
        guard let path = commands.path(of: "discover") else { throw .notInstalled }
        return path
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import Encodings
import EssentialFoundation
import Secrets
import TLSTransport

/// Connects to a server on loopback with a TLS library, and prints the properties of each connection as JSON.
@main
struct TLSHarness: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "TLSHarness", abstract: "Connect to a server with a TLS library, and print the results as JSON.")

    @Option(help: "The library: \(TLSLibrary.names).", transform: library)
    var library = TLSLibrary.boringSSL

    @Option(help: "The port on 127.0.0.1.")
    var port: Int

    @Option(help: "The server name to send.")
    var name = "localhost"

    @Option(help: "The path of the request.")
    var path = "/"

    @Option(help: "A line to send instead of a request.")
    var line: String?

    @Option(help: "A protocol to offer; repeatable.")
    var alpn: [String] = []

    @Option(help: "A file with the client's certificate and key in PEM.")
    var identity: String?

    @Option(help: "The number of connections, of which each resumes the last session.")
    var connections = 1

    @Option(help: "The number of an alert with which to refuse the server.")
    var refuse: UInt8?

    @Flag(help: "End the connection after the handshake.")
    var silent = false

    @Flag(help: "Accept old versions and weak algorithms.")
    var legacy = false

    @Flag(help: "Print the available libraries instead.")
    var libraries = false

    func run() async throws {
        if libraries { return print(TLSLibrary.names) }
        let settings = TLSClientSettings(
            serverName: name, versions: (legacy ? .tls10 : .tls12) ... .tls13, applicationProtocols: alpn,
            library: library, allowsLegacy: legacy)
        let identity = try identity.map(Self.identity)
        let request = line ?? "GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r"
        var results: [Connection.Result] = []
        var session: TLSSession?
        for _ in 0..<connections {
            let connection = Connection(
                identity: identity, alert: refuse.map(TLSAlert.init), line: silent ? nil : request)
            await connection.run(settings, resuming: session, port: port)
            results.append(connection.result)
            session = connection.session
        }
        print(String(decoding: try JSONEncoder().encode(results), as: UTF8.self))
    }

    @Sendable private static func library(_ text: String) throws -> TLSLibrary {
        guard let library = TLSLibrary.allCases.first(where: { "\($0)" == text }) else {
            throw ValidationError("'\(text)' is not a library")
        }
        return library
    }

    /// Reads an identity with a key of any type.
    private static func identity(_ path: String) throws -> TLSIdentity {
        let blocks = try PEMBlock.blocks(in: Array(try Data(contentsOf: URL(filePath: path))))
        guard let key = blocks.first(where: { $0.label.hasSuffix("PRIVATE KEY") }) else {
            throw ValidationError("'\(path)' has no private key")
        }
        let chain = blocks.filter { $0.label == "CERTIFICATE" }.map(\.der)
        return TLSIdentity(chain: chain, key: Secret(utf8: key.der))
    }
}

extension TLSLibrary {
    /// The names of the available libraries.
    fileprivate static var names: String {
        allCases.filter(\.isAvailable).map { "\($0)" }.joined(separator: " ")
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import ArgumentParser
package import CertificateTrust
package import Countersign
internal import HTTPTypes
internal import Identities
internal import NIOCore
import X509

/// The options for the import of certificates, and for its confirmation.
package struct CertificateImport: ParsableArguments {
    /// The maximum size of a fetched file, in bytes.
    private static let sizeLimit = 1 << 20

    @Option(
        help: ArgumentHelp(
            "A certificate to trust for the server of an https: URL, PEM or DER; repeatable.",
            valueName: "file"))
    package var anchor: [String] = []

    @Flag(help: "Import without asking.")
    package var yes = false

    @Option(help: "Import without asking if this is its SHA-256 fingerprint.")
    package var fingerprint: String?

    package init() {}

    /// Returns whether a source is a URL rather than a file.
    package static func isURL(_ source: String) -> Bool {
        ["http://", "https://"].contains { source.lowercased().hasPrefix($0) }
    }

    /// Reads a file, standard input for `-`, or the response of an http or https URL.
    ///
    /// - Parameters:
    ///   - source: The file or the URL.
    ///   - warns: Whether to warn that plain http does not protect the certificate.
    ///   - console: The console that prints the warning.
    /// - Returns: The bytes.
    /// - Throws: ``FileError``, ``UsageError``, ``CommandError``, `SessionError`.
    package func read(_ source: String, warns: Bool, on console: Console) async throws -> [UInt8] {
        guard Self.isURL(source) else {
            if !anchor.isEmpty { throw UsageError.useless("--anchor", without: "an https: URL") }
            return try InputFile.readArgument(source)
        }
        if warns, source.lowercased().hasPrefix("http://") {
            console.printError(
                "Anyone on the network path could have changed this certificate: compare its fingerprint.")
        }
        let anchors = try AnchorFiles.anchors(anchor, on: console)
        var configuration = HTTPSession.Configuration(
            trust: TrustPolicy(anchors: anchors.isEmpty ? .system : .systemAnd(anchors)))
        configuration.anchorEnvironment = console.anchorEnvironment
        return try await Self.fetch(source, with: configuration)
    }

    /// Fetches an http or https URL.
    ///
    /// - Parameters:
    ///   - source: The URL.
    ///   - configuration: The session configuration.
    /// - Returns: The bytes, at most 1 MiB.
    /// - Throws: ``CommandError``, `SessionError`.
    package static func fetch(_ source: String, with configuration: HTTPSession.Configuration) async throws -> [UInt8] {
        do {
            return try await HTTPSession.with(configuration) { session in
                try await body(of: try await session.get(source), from: source)
            }
        } catch SessionError.redirect(.toPlainHTTP(_, let place)) {
            throw CommandError.insecureAnchorSource(source, redirect: place)
        }
    }

    private static func body(of response: SessionResponse, from source: String) async throws -> [UInt8] {
        guard response.status == .ok else {
            throw CommandError.badStatus(source, status: response.status.text, file: nil, lacksCertificate: false)
        }
        return Array(try await response.body.collect(upTo: sizeLimit).readableBytesView)
    }

    /// Compares a certificate's fingerprint with that of an option, or asks the user to compare it.
    ///
    /// - Throws: ``CommandError``.
    package func confirm(
        _ certificate: CertificateSummary, _ question: String = "Trust the certificates that it issues?",
        on console: Console
    ) async throws {
        if let fingerprint {
            guard AnchorFolder.plain(fingerprint) == AnchorFolder.plain(certificate.fingerprint) else {
                throw CommandError.fingerprintMismatch(found: certificate.fingerprint, expected: fingerprint)
            }
            return
        }
        try await console.confirm(
            question, unless: yes, otherwise: "Nothing was imported.",
            needing: (
                "The fingerprint \(certificate.fingerprint) has to be compared.",
                "--fingerprint HEX, or --yes if you have compared it"
            ))
    }
}

extension HTTPSession {
    /// Runs a closure with a new session, and closes the session.
    package static func with<Value: Sendable>(
        _ configuration: Configuration, _ work: (HTTPSession) async throws -> Value
    ) async throws -> Value {
        let session = HTTPSession(configuration)
        do {
            let value = try await work(session)
            await session.close()
            return value
        } catch {
            await session.close()
            throw error
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ACME
import ArgumentParser
import CommandSupport
import EssentialFoundation
import Secrets

/// The options of the ACME server.
struct ACMEOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Serve ACME (RFC 8555) at this URL; the directory is at /directory below it.",
            discussion: "With https, the server listens on the URL's port with a certificate from its authority.",
            valueName: "url"))
    var acme: String?

    @Flag(help: "Accept ACME requests over plain http on --port, from a proxy that terminates https.")
    var behindProxy = false

    @Option(
        help: ArgumentHelp(
            "A file with an external account on each line: the identifier and the base64url key; a new account needs one of them.",
            valueName: "file"))
    var externalAccounts: String?

    @Option(
        help: ArgumentHelp(
            "Offer dns-01: a shell command that gets a TXT record's name and a value, and exits with 0 if the record has the value.",
            valueName: "command"))
    var dnsCheck: String?

    @Option(help: .hidden)
    var http01Port = 80

    @Option(help: .hidden)
    var tlsAlpn01Port = 443

    func validate() throws {
        guard let acme else {
            if behindProxy || externalAccounts != nil || dnsCheck != nil {
                throw ValidationError("--behind-proxy, --external-accounts and --dns-check need --acme.")
            }
            return
        }
        guard ACMEBaseURL(acme) != nil else {
            throw ValidationError("--acme must be an http or https URL with a host, and without a query.")
        }
    }

    var place: ACMEBaseURL? { acme.flatMap(ACMEBaseURL.init) }

    /// Returns a closure that looks up an external account key in the current content of the file.
    func externalAccountKey() -> (@Sendable (String) async throws -> Secret?)? {
        guard let externalAccounts else { return nil }
        return { identifier in
            let lines = String(decoding: try InputFile.read(externalAccounts), as: UTF8.self).split(separator: "\n")
            let fields = lines.map { $0.split(separator: " ") }
            return fields.first { $0.count == 2 && $0[0] == identifier }
                .flatMap { Base64URL.decode($0[1]) }.map { Secret(utf8: $0) }
        }
    }
}

/// The base URL of the ACME server.
struct ACMEBaseURL {
    /// The URL without a trailing slash.
    let url: String
    let host: String
    let port: Int
    let isEncrypted: Bool
    /// The path, which is empty or begins with a slash.
    let path: String

    init?(_ text: String) {
        var text = text
        while text.hasSuffix("/") { text.removeLast() }
        guard let url = URL(string: text), let host = url.host(percentEncoded: false), !host.isEmpty,
            url.scheme == "https" || url.scheme == "http", url.query() == nil, url.fragment() == nil, url.user() == nil
        else { return nil }
        self.url = text
        self.host = host
        isEncrypted = url.scheme == "https"
        port = url.port ?? (isEncrypted ? 443 : 80)
        path = url.path()
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ArgumentParser
import AuthorityAccess
import AuthorityStore
public import CertificateAuthorities
import CertificateTrust
import CommandSupport
import EssentialFoundation
import Identities
import PKCS11
import X509

extension CertificateAuthority.KeyType: ExpressibleByArgument {}

/// `countersign ca init`.
struct InitCommand: ConsoleCommand {
    enum KeyStore: String, ExpressibleByArgument, CaseIterable {
        case file
        case keychain
        case token
    }

    static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Create an authority.",
        discussion: """
            It consists of a root, which clients import, and an issuing authority below it, so the root's key can be kept offline. It \
            is restricted to the domains (with all their subdomains) and networks of --for by its certificates: clients refuse \
            any other name, even from someone who stole its key.

            Example: countersign ca init "Home" --for home.example --for 192.168.0.0/16

            In a token: countersign ca init "Home" --for home.example --key-store token --token pkcs11:token=home \
            --token-module /usr/lib/softhsm/libsofthsm2.so
            """)

    @Argument(help: "The name of the authority.")
    var name: String

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("A domain or a network for which it may issue; may be repeated.", valueName: "name"))
    var permitted: [String] = []

    @Flag(
        help: "Create an authority for any name. Anyone who steals its key can impersonate every server to its clients."
    )
    var forEveryName = false

    @Flag(inversion: .prefixedNo, help: "Issue from an authority below the root.")
    var intermediate = true

    @Option(help: "The kind of the authority's keys.")
    var key: CertificateAuthority.KeyType = .p256

    @Option(help: ArgumentHelp("The validity period of the root.", valueName: "years"))
    var years = 10

    @Option(help: ArgumentHelp("The validity period of issued certificates.", valueName: "days"))
    var days = 47

    @Option(help: ArgumentHelp("The http URL of its revocation list.", valueName: "url"))
    var crlURL: String?

    @Option(help: ArgumentHelp("The http URL of its OCSP responder.", valueName: "url"))
    var ocspURL: String?

    @Option(help: ArgumentHelp("The http URL of its own certificate.", valueName: "url"))
    var certificateURL: String?

    @Option(help: "The store of its keys. By default, the keychain if there is one, or else files.")
    var keyStore: KeyStore?

    @Option(
        help: ArgumentHelp(
            "The PKCS#11 token that stores its keys.",
            discussion:
                "A URI of RFC 7512, such as pkcs11:token=home. It may name the issuing key: pkcs11:token=home;object=issuing.",
            valueName: "uri"))
    var token: String?

    @Option(help: ArgumentHelp("The PKCS#11 library of the token, from the token's software.", valueName: "path"))
    var tokenModule: String?

    @Option(
        help: ArgumentHelp(
            "A PostgreSQL database for issued and revoked certificates, which several machines can share.",
            discussion:
                "A libpq connection URL, such as postgresql://ca@db.home.example/ca; put the password into ~/.pgpass. The other machines need a copy of the authority's folder.",
            valueName: "url"))
    var database: String?

    @OptionGroup
    var options: SigningOptions

    @Flag(help: "Print as JSON.")
    var json = false

    var wantsJSON: Bool { json }

    func validate() throws {
        if permitted.isEmpty != forEveryName {
            throw ValidationError("Give --for NAME once or more, or --for-every-name.")
        }
        guard (1...30).contains(years) else { throw ValidationError("--years is 1 to 30.") }
        guard (1...825).contains(days) else { throw ValidationError("--days is 1 to 825.") }
        for url in [crlURL, ocspURL, certificateURL].compactMap(\.self) where !url.hasPrefix("http://") {
            throw ValidationError("\(url) is not an http URL. Clients fetch it before they trust anything.")
        }
        if (keyStore == .token) != (token != nil) {
            throw ValidationError("--key-store token and --token URI go together.")
        }
        if tokenModule != nil, token == nil { throw ValidationError("--token-module requires --token URI.") }
        try options.checkContradictions()
    }

    func perform(on console: Console) async throws -> CommandStatus {
        let folder = options.place.folder(console)
        let path = options.place.statePath(console)
        let places = [path, options.place.databasePath(console)]
        guard !places.contains(where: FileManager.default.fileExists) else {
            throw AuthorityStoreError.exists(path: folder.path)
        }
        var keys = try await newKeys(in: folder, on: console)
        let report: NewAuthorityReport
        do {
            report = try await make(in: folder, with: &keys, on: console)
        } catch {
            // Keys without a state would make the next attempt fail.
            keys.discard()
            throw error
        }
        try print(report, on: console)
        return .done
    }

    /// Prepares the creation of the keys, and opens the token if they are created in one.
    private func newKeys(in folder: URL, on console: Console) async throws -> NewAuthorityKeys {
        let keys = try options.keys(console)
        let destination: NewAuthorityKeys.Destination =
            switch keyStore ?? (hasKeychain(console) ? .keychain : .file) {
            case .file: .files
            case .keychain: .keychain
            case .token: try await tokenDestination(keys, on: console)
            }
        return NewAuthorityKeys(
            keys, to: destination, folder: folder, name: name, type: key, issuer: intermediate ? .issuing : .root)
    }

    private func tokenDestination(
        _ keys: AuthorityKeys, on console: Console
    ) async throws -> NewAuthorityKeys.Destination {
        let uri = try TokenURI(token ?? "")
        guard let path = tokenModule ?? uri.module else { throw ValidationError("Give --token-module PATH.") }
        let module = URL(filePath: path).absolutePath
        return .token(
            try await keys.token(uri, module: module, access: .generating, on: console), uri, module: module)
    }

    private func make(
        in folder: URL, with keys: inout NewAuthorityKeys, on console: Console
    ) async throws -> NewAuthorityReport {
        let now = Date()
        let path = options.place.statePath(console)
        let names = try permitted.isEmpty ? nil : PermittedNames(permitted)
        var root = try CertificateAuthority(
            name: "\(name) Root", key: keys.make(.root), validity: .years(years), permitting: names,
            pathLength: intermediate ? 1 : 0, now: now)
        root.publication = PublicationPoints(
            revocationList: crlURL.flatMap(URL.init), responder: ocspURL.flatMap(URL.init),
            authorityCertificate: certificateURL.flatMap(URL.init))
        let issuing = intermediate ? try issuing(below: root, keys.make(.issuing), names, now) : root

        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try FilePermissions.check(path, in: folder.path)
        let rootKey = try await keys.save(root.identity, .root)
        let issuingKey = intermediate ? try await keys.save(issuing.identity, .issuing) : rootKey
        let settings = try AuthoritySettings(
            name: name, chain: issuing.identity.chain, issuingKey: issuingKey, rootKey: rootKey,
            publication: root.publication, leafDays: days)
        try await createState(settings, at: path, now, on: console)
        return NewAuthorityReport(settings, folder, root: root, issuing: issuing, permitted)
    }

    private func createState(
        _ settings: AuthoritySettings, at path: String, _ now: Date, on console: Console
    ) async throws {
        guard let database else {
            _ = try await AuthorityStore.create(at: path, settings: settings, now: now)
            return
        }
        _ = try await AuthorityStore.create(inDatabase: database, settings: settings, now: now)
        try OutputFile.write(database + "\n", to: options.place.databasePath(console), mode: 0o600)
    }

    private func issuing(
        below root: CertificateAuthority, _ key: Certificate.PrivateKey, _ names: PermittedNames?, _ now: Date
    ) throws -> CertificateAuthority {
        // The URLs are those of the issuing authority. The root publishes no list, because its key may be offline.
        var signer = root
        signer.publication = PublicationPoints()
        var authority = try signer.issueIntermediate(
            name: "\(name) Issuing", key: key, validity: .years(min(5, years)), permitting: names, now: now)
        authority.publication = root.publication
        return authority
    }

    private func hasKeychain(_ console: Console) -> Bool {
        let file = ConfigurationFolder.url(console.environment).appending(path: "keychain/keychain.sqlite")
        return FileManager.default.fileExists(atPath: file.path)
    }

    private func print(_ report: NewAuthorityReport, on console: Console) throws {
        if json { return try console.print(json: report) }
        try console.print("Created the authority \"\(name)\" in \(report.folder).")
        try console.print("For:     \(permitted.isEmpty ? "every name" : permitted.joined(separator: ", "))")
        try console.print(
            "Root:    \(report.root.fingerprint) (SHA-256), until \(CertificateText.day(report.root.notAfter))")
        if intermediate {
            try console.print(
                "Issuing: \(report.issuing.fingerprint) (SHA-256), until \(CertificateText.day(report.issuing.notAfter))"
            )
        }
        if keyStore == .token {
            try console.print("The issuing key is \(report.issuingKey).")
            if intermediate { try console.print("The root's key is \(report.rootKey). It is not needed to issue.") }
        } else if intermediate {
            try console.print("The root's key is \(report.rootKey). It is not needed to issue: keep it offline.")
        }
        try console.print("Next: 'countersign ca install' to trust it here, 'countersign ca issue --server NAME'.")
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import ArgumentParser
package import AuthorityStore
package import CertificateAuthorities
package import CommandSupport
package import EssentialFoundation
import Identities
import X509

/// The passphrase of an authority's encrypted key.
package enum KeyPassphrase: SecretPurpose {
    package static let option = "key-passphrase"
    package static let subject = "the passphrase of the authority's key"
}

/// The PIN of the token with an authority's key.
package enum TokenPIN: SecretPurpose {
    package static let option = "token-pin"
    package static let subject = "the PIN of the token that holds the authority's key"
}

/// The options that select an authority.
package struct AuthorityOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The authority's folder.",
            discussion: "The default is ca in the configuration folder (COUNTERSIGN_HOME).", valueName: "folder"))
    package var authority: String?

    package init() {}

    package func folder(_ console: Console) -> URL {
        authority.map { URL(filePath: $0, directoryHint: .isDirectory) }
            ?? ConfigurationFolder.url(console.environment).appending(path: "ca", directoryHint: .isDirectory)
    }

    package func statePath(_ console: Console) -> String { folder(console).appending(path: "state.sqlite").path }

    /// The path of the file with the address of the PostgreSQL database, which exists only if the state is in such a
    /// database.
    package func databasePath(_ console: Console) -> String { folder(console).appending(path: "database").path }

    package func store(_ console: Console) async throws -> AuthorityStore {
        let path = statePath(console)
        try FilePermissions.check(path, in: folder(console).path)
        if FileManager.default.fileExists(atPath: databasePath(console)) {
            try FilePermissions.check(databasePath(console), in: folder(console).path)
            let text = String(decoding: try InputFile.read(databasePath(console)), as: UTF8.self)
            return try await AuthorityStore.open(database: String(text.prefix { $0 != "\n" }))
        }
        return try await AuthorityStore.open(at: path)
    }
}

/// The options that select an authority and open its key.
package struct SigningOptions: ParsableArguments {
    @OptionGroup
    package var place: AuthorityOptions

    @OptionGroup
    package var keyPassphrase: SecretOptions<KeyPassphrase>

    @OptionGroup
    package var tokenPIN: SecretOptions<TokenPIN>

    package init() {}

    package func checkContradictions() throws(UsageError) {
        try keyPassphrase.checkContradictions()
        try tokenPIN.checkContradictions()
    }

    /// Returns the storage of the authority's keys, with the passphrase and PIN of the options.
    package func keys(_ console: Console) throws -> AuthorityKeys {
        for note in [keyPassphrase.file, tokenPIN.file].compactMap({ $0.flatMap(FilePermissions.note(onSecret:)) }) {
            console.printError(note)
        }
        return AuthorityKeys(
            folder: place.folder(console), passphrase: try keyPassphrase.read(console.environment),
            pin: try tokenPIN.read(console.environment))
    }

    /// Opens the authority with its key.
    package func open(on console: Console) async throws -> OpenAuthority {
        try checkContradictions()
        let store = try await place.store(console)
        let settings = try await store.settings
        if let warning = try settings.expiryWarning(at: Date()) { console.printError(warning) }
        let identity = try await keys(console).load(settings.issuingKey, chain: settings.certificates, on: console)
        return OpenAuthority(
            store: store, settings: settings,
            authority: try CertificateAuthority(identity, publication: settings.publication))
    }
}

extension AuthoritySettings {
    /// Returns a warning if the authority's own certificate will soon shorten the validity of new certificates.
    package func expiryWarning(at now: Date) throws(AuthorityStoreError) -> String? {
        let chain = try certificates
        guard let own = chain.first, own.notValidAfter < now + TimeInterval(2 * leafDays * 86_400) else { return nil }
        let end = "is valid until \(CertificateText.day(own.notValidAfter)), and so are the certificates that it issues"
        let isRoot = chain.last?.notValidAfter == own.notValidAfter
        return isRoot
            ? "countersign: warning: the root \(end); have clients trust the root of a new authority before"
            : "countersign: warning: the issuing authority \(end); 'countersign ca renew --issuing' renews it"
    }
}

/// An authority with its store and signing key.
package struct OpenAuthority {
    package let store: AuthorityStore
    package let settings: AuthoritySettings
    package let authority: CertificateAuthority

    package init(store: AuthorityStore, settings: AuthoritySettings, authority: CertificateAuthority) {
        (self.store, self.settings, self.authority) = (store, settings, authority)
    }
}

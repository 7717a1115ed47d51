// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CertificateTrust
import Challenges
import Countersign
import Identities
import Secrets

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Where credentials come from, and how far they go.
struct CredentialOptions: ParsableArguments {
    @Option(
        name: [.customShort("u", allowingJoined: true), .long],
        help: ArgumentHelp("The user to name to the URL's host.", valueName: "name"))
    var user: String?

    @Option(help: ArgumentHelp("A file whose first line is the user's password.", valueName: "file"))
    var passwordFile: String?

    @Option(help: ArgumentHelp("An open file descriptor to read the password from.", valueName: "number"))
    var passwordFd: Int?

    #if Negotiate
        @Flag(help: "Show the URL's host a ticket of Kerberos: of whoever runs this, or of --user with its password.")
        var negotiate = false
    #endif

    @Option(help: ArgumentHelp("A certificate and its key, for servers that ask: PEM or PKCS#12.", valueName: "file"))
    var identity: String?

    @Option(help: ArgumentHelp("A file whose first line is the identity's passphrase.", valueName: "file"))
    var identityPassphraseFile: String?

    @Option(help: "A file whose first line is a bearer token for the URL's origin.")
    var bearerFile: String?

    @Option(help: "An open file descriptor to read the bearer token from.")
    var bearerFd: Int?

    @Flag(name: .shortAndLong, help: "Look for users and passwords in ~/.netrc.")
    var netrc = false

    @Option(help: "Look for users and passwords in this file, of the same form.")
    var netrcFile: String?

    @Flag(help: "Let --user or the token follow a redirect to another origin, which the first one chooses.")
    var sendCredentialsAcrossRedirects = false

    @Flag(
        name: .customLong("allow-ntlm-over-plain-http"),
        help: "Answer NTLM without TLS, to the proxy too: whoever listens can guess the password from it.")
    var allowNTLMOverPlainHTTP = false

    func refuseFlagsWithoutUse() throws(UsageError) {
        if passwordFile != nil, passwordFd != nil { throw .contradiction("--password-file", "--password-fd") }
        if bearerFile != nil, bearerFd != nil { throw .contradiction("--bearer-file", "--bearer-fd") }
        let hasPassword = passwordFile != nil || passwordFd != nil
        if user == nil, hasPassword { throw .useless("a password", without: "--user") }
        if identity == nil, identityPassphraseFile != nil { throw .useless("a passphrase", without: "--identity") }
        let hasToken = bearerFile != nil || bearerFd != nil
        if sendCredentialsAcrossRedirects, !hasPassword, !hasToken {
            throw .useless("--send-credentials-across-redirects", without: "--password-file or --bearer-file")
        }
    }

    func password() throws -> Secret? {
        if let passwordFd { return try SecretSource.descriptor(number: passwordFd) }
        return try passwordFile.map(SecretSource.file)
    }

    func identity(asking prompter: (any Prompter)?) async throws -> Identity? {
        let passphrase = try identityPassphraseFile.map(SecretSource.file)
        guard let identity else { return nil }
        return try await IdentityFile.read(identity, passphrase: passphrase, prompter: prompter)
    }

    func token() throws -> Secret? {
        if let bearerFd { return try SecretSource.descriptor(number: bearerFd) }
        return try bearerFile.map(SecretSource.file)
    }

    /// The file that was named must be there; the one at home need not.
    func readNetrc(on console: Console) throws -> NetrcFile? {
        guard netrc || netrcFile != nil else { return nil }
        guard let path = netrcFile ?? Self.netrcAtHome(console) else {
            console.complain("countersign: there is no ~/.netrc; going on without it")
            return nil
        }
        let bytes = try InputFile.read(path)
        if Self.isReadableByOthers(path) {
            console.complain("countersign: others can read \(path.printable); 'chmod 600' keeps it to you")
        }
        return try InputFile.naming(path) { try NetrcFile(bytes) }
    }

    private static func netrcAtHome(_ console: Console) -> String? {
        guard let home = console.environment["HOME"] else { return nil }
        return access(home + "/.netrc", F_OK) == 0 ? home + "/.netrc" : nil
    }

    private static func isReadableByOthers(_ path: String) -> Bool {
        guard let state = FileState(path: path), state.isRegular else { return false }
        return state.permissions & 0o044 != 0
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CertificateTrust
import Challenges
import Secrets

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Where else credentials come from, and how far they go.
struct CredentialOptions: ParsableArguments {
    @Option(help: "A file whose first line is a bearer token for the URL's origin.")
    var bearerFile: String?

    @Option(help: "An open file descriptor to read the bearer token from.")
    var bearerFd: Int?

    @Flag(help: "Look for users and passwords in ~/.netrc.")
    var netrc = false

    @Option(help: "Look for users and passwords in this file, of the same form.")
    var netrcFile: String?

    @Flag(help: "Let --user or the token follow a redirect to another origin, which the first one chooses.")
    var sendCredentialsAcrossRedirects = false

    @Flag(
        name: .customLong("allow-ntlm-over-plain-http"),
        help: "Answer NTLM without TLS, to the proxy too: whoever listens can guess the password from it.")
    var allowNTLMOverPlainHTTP = false

    func refuseFlagsWithoutUse(hasPassword: Bool) throws(UsageError) {
        let hasToken = bearerFile != nil || bearerFd != nil
        if sendCredentialsAcrossRedirects, !hasPassword, !hasToken {
            throw .useless("--send-credentials-across-redirects", without: "--password-file or --bearer-file")
        }
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
        var information = stat()
        guard stat(path, &information) == 0, information.st_mode & S_IFMT == S_IFREG else { return false }
        return information.st_mode & 0o044 != 0
    }
}

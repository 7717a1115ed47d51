// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import ArgumentParser
package import CertificateTrust
package import Challenges
package import CommandSupport
import Countersign
import ErrorExplanations
package import Identities
import POSIX
package import Secrets

/// The options for credentials, and for the origins that receive them.
package struct CredentialOptions: ParsableArguments {
    @Option(
        name: [.customShort("u", allowingJoined: true), .long],
        help: ArgumentHelp(
            "The user for the URL's host; on a terminal the password is asked for when the host requires one.",
            discussion: "NAME:PASSWORD gives the password too, as in curl, and other users of this machine can see it.",
            valueName: "name"))
    package var user: LoginOption?

    @OptionGroup
    package var userPassword: SecretOptions<UserPassword>

    @Option(
        help: ArgumentHelp(
            "Send the password with the first request, by this method: basic.",
            discussion: """
                For servers that answer 404, 403 or 401 without asking for a password. It is the password of --user, of the \
                URL, or of the netrc entry of its host, and it goes to the origin of the URL only. A token is sent with the \
                first request in any case.
                """, valueName: "method"), transform: FirstRequestMethod.init)
    package var auth: FirstRequestMethod?

    @Flag(
        name: .customLong("allow-credentials-over-plain-http"),
        help: ArgumentHelp(
            "Send the token, or the password of --auth, with the first request without TLS too.",
            discussion: "Anyone on the path can then read it. To this machine, that needs no option."))
    package var allowCredentialsOverPlainHTTP = false

    #if Negotiate
        @Flag(
            help: "Send a Kerberos ticket to the URL's host: the current user's, or that of --user with its password.")
        package var negotiate = false
    #endif

    @Option(
        help: ArgumentHelp(
            "A certificate and its key, for servers that request one: PEM or PKCS#12; repeatable.",
            discussion: """
                Of several, the URL's host gets the first from an issuer that it names and with a key for one of its \
                signature algorithms. -v says why the others do not fit. The identity, or the key alone, may be in a PKCS#11 \
                token: 'pkcs11:token=home;object=mary?module-path=/usr/lib/softhsm/libsofthsm2.so'. --identity-passphrase-file \
                is then for its PIN, and for every other identity too.
                """, valueName: "file"))
    package var identity: [String] = []

    @Option(
        help: ArgumentHelp(
            "The private key of --identity, if it is in another file; with several identities, one for each, in their order.",
            valueName: "file"))
    package var key: [String] = []

    @OptionGroup
    package var passphrase: SecretOptions<IdentityPassphrase>

    @OptionGroup
    package var bearer: SecretOptions<BearerToken>

    @Flag(
        name: .shortAndLong,
        help: ArgumentHelp(
            "Look for users and passwords in ~/.netrc.",
            discussion: """
                An entry applies to https at port 443 of its machine, and to another port if the given URL names it. \
                The same rule applies to the servers of redirects.
                """))
    package var netrc = false

    @Flag(help: "Save a typed password in the keychain after the server has accepted it.")
    package var remember = false

    @Option(help: "Look for users and passwords in this file, in the format of ~/.netrc.")
    package var netrcFile: String?

    @Flag(
        name: .customLong("allow-netrc-over-plain-http"),
        help: ArgumentHelp(
            "Send the netrc password to the URL's host without TLS too, so that anyone on the path can read it.",
            discussion: "Only to the host and port of the given URL; never to the target of a redirect."))
    package var allowNetrcOverPlainHTTP = false

    @Option(
        help: ArgumentHelp(
            "The authentication methods to use with origins, such as negotiate,ntlm.",
            discussion: """
                An origin that offers only other methods gets no credential. The names: \
                \(MethodList.names.map(\.description).joined(separator: ", ")). --policy sets them for each domain.
                """, valueName: "list"), transform: MethodList.init)
    package var methods: MethodList?

    @Flag(help: "After a redirect, send --user or the token to another origin too, which the first origin chooses.")
    package var sendCredentialsAcrossRedirects = false

    @Flag(
        name: .customLong("allow-ntlm-over-plain-http"),
        help: "Answer NTLM without TLS, also for the proxy; anyone on the path can then guess the password.")
    package var allowNTLMOverPlainHTTP = false

    @Option(
        name: .customLong("max-scram-iterations"),
        help: ArgumentHelp(
            "The maximum iteration count of SCRAM.",
            discussion: """
                By default \(HTTPSCRAMAuthenticator.iterationLimit), about one second of work. The server chooses the count, and \
                the work grows with it.
                """, valueName: "number"))
    package var maxSCRAMIterations: Int?

    package init() {}

    /// Throws an error for options that contradict each other or have no effect without others.
    package func checkUnusedOptions() throws(UsageError) {
        try userPassword.checkContradictions()
        try passphrase.checkContradictions()
        try bearer.checkContradictions()
        try user?.checkLineBreaks(in: "--user")
        if user?.password != nil, userPassword.isGiven {
            throw .contradiction("a password in --user", userPassword.name)
        }
        if user == nil, userPassword.isGiven { throw .useless("a password", without: "--user") }
        if identity.isEmpty, passphrase.isGiven { throw .useless("a passphrase", without: "--identity") }
        if identity.isEmpty, !key.isEmpty { throw .useless("--key", without: "--identity") }
        if !key.isEmpty, key.count != identity.count { throw .keys(given: key.count, identities: identity.count) }
        let hasPassword = userPassword.isGiven || user?.password != nil
        if sendCredentialsAcrossRedirects, !hasPassword, !bearer.isGiven {
            throw .useless("--send-credentials-across-redirects", without: "--password-file or --bearer-file")
        }
        if auth != nil, bearer.isGiven { throw .contradiction("--auth", bearer.name) }
        if auth != nil, methods?.allowed.contains(.basic) == false { throw .contradiction("--auth basic", "--methods") }
        if allowCredentialsOverPlainHTTP, auth == nil, !bearer.isGiven {
            throw .useless("--allow-credentials-over-plain-http", without: "--auth or --bearer-file")
        }
        if allowNetrcOverPlainHTTP, !netrc, netrcFile == nil {
            throw .useless("--allow-netrc-over-plain-http", without: "--netrc or --netrc-file")
        }
        if let maxSCRAMIterations, maxSCRAMIterations < 4_096 {
            throw .value("--max-scram-iterations", "write a number from 4096 (RFC 7677)")
        }
    }

    /// The name of the first given option that supplies a credential; `nil` if there is none.
    package var firstCredentialOption: String? {
        if user != nil { return "--user" }
        if !identity.isEmpty { return "--identity" }
        return bearer.isGiven ? bearer.name : nil
    }

    /// Returns a clause about the credentials that are not used beside a field Authorization, as in curl.
    ///
    /// - Parameter urls: The URLs, of which one may have a login.
    /// - Returns: `nil` if there are none.
    package func unusedBesideAuthorization(ofURLs urls: [String]) -> String? {
        var names = [
            user.map { _ in "--user" }, auth.map { _ in "--auth basic" }, bearer.isGiven ? bearer.name : nil,
            netrcFile != nil ? "--netrc-file" : netrc ? "--netrc" : nil,
            urls.contains { SessionRequest(url: $0).urlLogin != nil } ? "the login in the URL" : nil,
        ].compactMap(\.self)
        #if Negotiate
            if negotiate { names.append("--negotiate") }
        #endif
        guard let last = names.popLast() else { return nil }
        return names.isEmpty ? "\(last) is not used" : "\(names.joined(separator: ", ")) and \(last) are not used"
    }

    /// The name of the given option that supplies a user or a token; `nil` if there is none.
    var loginOption: String? { user != nil ? "--user" : bearer.isGiven ? bearer.name : nil }

    /// The names of the given options that read standard input.
    package var readersOfStandardInput: [String] {
        [
            userPassword.readsStandardInput ? SecretOptions<UserPassword>.standardInputOption : nil,
            passphrase.readsStandardInput ? SecretOptions<IdentityPassphrase>.standardInputOption : nil,
            bearer.readsStandardInput ? SecretOptions<BearerToken>.standardInputOption : nil,
        ].compactMap(\.self)
    }

    package func password(_ environment: [String: String]) throws -> Secret? {
        try user?.password ?? userPassword.read(environment).checked(for: userPassword.name)
    }

    /// Returns the login of `--user`; asks for a password that the first request needs.
    func login(
        _ environment: [String: String], asking prompter: (any Prompter)?
    ) async throws -> OriginHandlers.Login? {
        guard let user else { return nil }
        var password = try password(environment)
        if password == nil, auth != nil, !netrc, netrcFile == nil {
            let prompt = "Password for \(user.user.printable): "
            password = await prompter?.ask(prompt, isSecret: true).map { Secret($0) }
        }
        return OriginHandlers.Login(user: user.user, password: password)
    }

    package func identities(
        on console: Console, _ environment: [String: String]
    ) async throws -> [PresentedIdentity] {
        let prompter = console.prompter
        let passphrase = try passphrase.read(environment)
        var identities: [PresentedIdentity] = []
        for (position, path) in identity.enumerated() {
            // For an identity with its own key, its name is given again.
            let key = key.isEmpty || key[position] == path ? nil : key[position]
            identities.append(
                TokenIdentity.isURI(key ?? path)
                    ? .identity(
                        try await TokenIdentity.read(
                            key ?? path, chain: key == nil ? nil : path, pin: passphrase, prompter: prompter))
                    : try await IdentityFile.readForTLS(
                        path, key: key, passphrase: passphrase, prompter: prompter, warningOn: console))
        }
        return identities
    }

    package func token(_ environment: [String: String]) throws -> Secret? {
        guard let token = try bearer.read(environment).checked(for: bearer.name) else { return nil }
        var authenticator = HTTPBearerAuthenticator()
        do {
            _ = try authenticator.authorization(with: .token(token), for: .init(method: "GET", target: "/"))
        } catch {
            let form = "a token consists of letters, digits and the characters -._~+/ (RFC 6750 section 2.1)"
            throw UsageError.value(bearer.name, form)
        }
        return token
    }

    /// Reads the netrc file: a file that an option names must exist, but `~/.netrc` need not.
    package func readNetrc(on console: Console) throws -> NetrcFile? {
        guard netrc || netrcFile != nil else { return nil }
        guard let path = netrcFile ?? Self.netrcAtHome(console) else {
            console.printError("countersign: there is no ~/.netrc; going on without it")
            return nil
        }
        let bytes = try InputFile.read(path)
        if let note = FilePermissions.note(onSecret: path) { console.printError(note) }
        return try InputFile.naming(path) { try NetrcFile(bytes) }
    }

    private static func netrcAtHome(_ console: Console) -> String? {
        guard let home = console.environment["HOME"] else { return nil }
        return access(home + "/.netrc", F_OK) == 0 ? home + "/.netrc" : nil
    }
}

extension Secret? {
    /// Refuses a secret that could end a line of the request.
    fileprivate func checked(for option: String) throws(UsageError) -> Secret? {
        guard self?.isOneLine ?? true else { throw .forbiddenCharacter(option) }
        return self
    }
}

/// The value of `--user` and `--proxy-user`: a name, or a name and a password separated by a colon, as in curl.
package struct LoginOption: Sendable, ExpressibleByArgument {
    package let user: String
    /// The password; `nil` if no colon follows the name.
    package let password: Secret?

    /// Reads `NAME` or `NAME:PASSWORD`; the first colon separates the two, so a name cannot contain one.
    package init?(argument: String) {
        let parts = argument.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        user = parts.first.map(String.init) ?? ""
        password = parts.count == 2 ? Secret(String(parts[1])) : nil
    }

    /// - Parameter option: The option's name, for the error.
    /// - Throws: ``UsageError/forbiddenCharacter(_:)`` if the value could end a line of the request.
    package func checkLineBreaks(in option: String) throws(UsageError) {
        let isClean = user.isOneLine && password?.isOneLine ?? true
        guard isClean else { throw .forbiddenCharacter(option) }
    }
}

/// The value of `--auth`: the method by which a password is sent before a challenge, which is always Basic.
package struct FirstRequestMethod: Sendable {
    /// - Throws: ``WrongValue`` for any other method, because they need a challenge of the server or save no request.
    package init(_ text: String) throws(WrongValue) {
        guard text.lowercased() != "basic" else { return }
        throw WrongValue(
            text.contains(":")
                ? "write basic; --user takes the name and the password"
                : "write basic; every other method begins with the server's answer")
    }
}

/// The value of `--methods` and `--proxy-methods`: names separated by commas.
package struct MethodList: Sendable {
    package let allowed: AllowedMethods

    /// The names that an option accepts.
    package static let names = AuthenticationMethod.selectable

    /// - Throws: ``WrongValue`` for a name that is not among ``names``.
    package init(_ text: String) throws(WrongValue) {
        let words = text.split(separator: ",", omittingEmptySubsequences: false)
        let methods = words.map { word in AuthenticationMethod(String(word.drop { $0 == " " })) }
        guard methods.allSatisfy(Self.names.contains) else {
            let names = Self.names.map(\.description).joined(separator: ", ")
            throw WrongValue("write names with commas between, of \(names)")
        }
        allowed = .only(Set(methods))
    }
}

/// The password of `--user`.
package enum UserPassword: SecretPurpose {
    package static let option = "password"
    package static let subject = "the user's password"
}

/// The password of `--proxy-user`.
package enum ProxyPassword: SecretPurpose {
    package static let option = "proxy-password"
    package static let subject = "the proxy user's password"
}

/// The token for the URL's origin.
package enum BearerToken: SecretPurpose {
    package static let option = "bearer"
    package static let subject = "a bearer token for the URL's origin"
}

/// The passphrase of `--identity`.
package enum IdentityPassphrase: SecretPurpose {
    package static let option = "identity-passphrase"
    package static let subject = "the identity's passphrase"
}

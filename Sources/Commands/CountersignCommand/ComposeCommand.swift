// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CommandSupport
public import ErrorExplanations
public import PasswordComposer
import Secrets

/// The master password of `compose`.
enum MasterPassword: SecretPurpose {
    static let option = "master"
    static let subject = "the master password"
}

/// `countersign compose`.
struct ComposeCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "compose",
        abstract: "Compose the password for a site from a master password.",
        discussion: """
            The same inputs give the same password everywhere; nothing is stored or sent. Use the mode modern for new passwords; the others \
            give the passwords of other programs. Three signs, always the same for the same master password, show on a terminal whether it \
            was mistyped.

            Example: countersign compose example.com --login mary --length 20
            """)

    struct Report: Encodable {
        let site: String
        let mode: String
        let password: String
        /// The fingerprint of the master password, as the names of its signs.
        let fingerprint: String
    }

    @Argument(help: "The site's domain, or a URL, whose host name is used.")
    var domain: String

    @OptionGroup
    var options: ComposeOptions

    @OptionGroup
    var master: SecretOptions<MasterPassword>

    @Flag(help: "Print the password as JSON.")
    var json = false

    var wantsJSON: Bool { json }

    func perform(on console: Console) async throws -> CommandStatus {
        try master.checkContradictions()
        let mode = try options.composerMode()
        let (report, fingerprint) = try compose(mode, try await readMaster(on: console))
        if json {
            try console.print(json: report)
        } else {
            if console.errorIsTerminal {
                let symbols = fingerprint.signs.map(\.shape.symbol).joined(separator: " ")
                console.printError("The master password's signs: \(symbols)  \(fingerprint.description)")
            }
            try console.print(report.password)
        }
        return .done
    }

    private func readMaster(on console: Console) async throws -> Secret {
        if let given = try master.read(console.environment) { return given }
        return Secret(await console.prompter?.ask("Master password: ", isSecret: true) ?? "")
    }

    private func compose(_ mode: ComposerMode, _ master: Secret) throws -> (Report, ComposerFingerprint) {
        let site = SiteName(domain)
        return try master.withUnsafeBytes { bytes in
            let master = SecretBytes(copying: bytes)
            let password = try mode.compose(master, for: site)
            let fingerprint = ComposerFingerprint(of: master)
            let report = Report(
                site: String(decoding: site.utf8, as: UTF8.self), mode: options.mode.rawValue,
                password: password.withUnsafeBytes { String(decoding: $0, as: UTF8.self) },
                fingerprint: fingerprint.description)
            return (report, fingerprint)
        }
    }
}

/// The options for the derivation of a password.
struct ComposeOptions: ParsableArguments {
    enum Mode: String, ExpressibleByArgument, CaseIterable {
        case modern
        case classic
        case classicUTF8 = "classic-utf8"
        case lessPass = "lesspass"
        case superGenPass = "supergenpass"
        case superGenPassSHA512 = "supergenpass-sha512"
        case spectre
    }

    /// The kinds of `SpectreTemplate`.
    enum Kind: String, ExpressibleByArgument, CaseIterable {
        case maximum, long, medium, basic, short, pin, name, phrase

        var template: SpectreTemplate {
            switch self {
            case .maximum: .maximum
            case .long: .long
            case .medium: .medium
            case .basic: .basic
            case .short: .short
            case .pin: .pin
            case .name: .name
            case .phrase: .phrase
            }
        }
    }

    @Option(help: "The method of derivation.")
    var mode = Mode.modern

    @Option(
        help: ArgumentHelp(
            "The number of characters: 4 to 64 (modern), 5 to 35 (lesspass) or 4 to 24 (supergenpass); 16 by default, and 10 for supergenpass.",
            valueName: "number"))
    var length: Int?

    @Option(help: ArgumentHelp("A counter: each number gives another password; 1 by default.", valueName: "number"))
    var counter: UInt32?

    @Option(help: ArgumentHelp("The login at the site; for spectre, your full name.", valueName: "name"))
    var login: String?

    @Option(help: "The kind of Spectre password; long by default.")
    var kind: Kind?

    @Flag(help: "Use no lowercase letters.")
    var noLowercase = false

    @Flag(help: "Use no uppercase letters.")
    var noUppercase = false

    @Flag(help: "Use no digits.")
    var noDigits = false

    @Flag(help: "Use no symbols.")
    var noSymbols = false

    /// Returns the mode with its options.
    ///
    /// - Throws: ``UsageError`` if an option has no effect in the mode.
    func composerMode() throws(UsageError) -> ComposerMode {
        try checkModeOptions()
        let account = ComposerAccount(login: login ?? "", counter: counter ?? 1)
        let characters = ComposerCharacters(classes, length: length ?? 16)
        return switch mode {
        case .modern: .modern(account, characters)
        case .classic: .classic(.lowBytes)
        case .classicUTF8: .classic(.utf8)
        case .lessPass: .lessPass(account, characters)
        case .superGenPass: .superGenPass(.md5, length: length ?? 10)
        case .superGenPassSHA512: .superGenPass(.sha512, length: length ?? 10)
        case .spectre: .spectre(account, (kind ?? .long).template)
        }
    }

    private var classes: CharacterClasses {
        var classes = CharacterClasses.all
        if noLowercase { classes.remove(.lowercase) }
        if noUppercase { classes.remove(.uppercase) }
        if noDigits { classes.remove(.digits) }
        if noSymbols { classes.remove(.symbols) }
        return classes
    }

    private func checkModeOptions() throws(UsageError) {
        let withAccount: Set<Mode> = [.modern, .lessPass, .spectre]
        let withCharacters: Set<Mode> = [.modern, .lessPass]
        let uses: [(option: String, isGiven: Bool, modes: Set<Mode>)] = [
            ("--length", length != nil, withCharacters.union([.superGenPass, .superGenPassSHA512])),
            ("--counter", counter != nil, withAccount), ("--login", login != nil, withAccount),
            ("--kind", kind != nil, [.spectre]), ("--no-lowercase", noLowercase, withCharacters),
            ("--no-uppercase", noUppercase, withCharacters), ("--no-digits", noDigits, withCharacters),
            ("--no-symbols", noSymbols, withCharacters),
        ]
        for use in uses where use.isGiven && !use.modes.contains(mode) {
            throw .contradiction(use.option, "--mode \(mode.rawValue)")
        }
    }
}

// The conformance is here because the module that declares the error has no dependencies.
extension CompositionError: CataloguedError {
    /// The explanation: what happened, why, and what to try.
    public var explanation: ErrorExplanation {
        switch self {
        case .noMaster:
            ErrorExplanation(
                .usage, "usage.no-master-password", "The master password is missing.",
                reason: "It was not given, or is empty, and there was no terminal to ask on, or no answer.",
                advice: "Type it on a terminal, or give --master-file FILE.")
        case .noDomain:
            ErrorExplanation(
                .usage, "usage.no-site", "The name of the site is empty.",
                reason: "The password of each site is made from its name.",
                advice: "Write the site's domain, such as example.com.")
        case .noLogin:
            ErrorExplanation(
                .usage, "usage.no-full-name", "Spectre needs your full name.",
                reason: "Its passwords are derived from it too.", advice: "Give it with --login, as it is in Spectre.")
        case .length(let length, let allowed):
            ErrorExplanation(
                .usage, "usage.password-length", "A password of this mode cannot have \(length) characters.",
                reason: "Its length is from \(allowed.lowerBound) to \(allowed.upperBound).",
                advice: "Give another --length, or another --mode.")
        case .noCharacterClass:
            ErrorExplanation(
                .usage, "usage.no-characters", "Every kind of characters is excluded.",
                reason: "A password needs characters of one kind at least.",
                advice: "Leave out one of --no-lowercase, --no-uppercase, --no-digits and --no-symbols.")
        case .counterZero:
            ErrorExplanation(
                .usage, "usage.counter-zero", "The counter is 0.", reason: "Counters start at 1.",
                advice: "Give --counter 1, or a larger number.")
        }
    }

    package static var examples: [CompositionError] {
        [.noMaster, .noDomain, .noLogin, .length(3, allowed: 4...64), .noCharacterClass, .counterZero]
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CommandSupport
import PasswordComposer

/// How `compose` derives a password.
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

    @Option(help: "How the password is derived.")
    var mode = Mode.modern

    @Option(
        help: ArgumentHelp(
            "Characters: 4 to 64 (modern), 5 to 35 (lesspass) or 4 to 24 (supergenpass). Without it, 16 or, for supergenpass, 10.",
            valueName: "number"))
    var length: Int?

    @Option(help: ArgumentHelp("Another number gives another password. Without it, 1.", valueName: "number"))
    var counter: UInt32?

    @Option(help: ArgumentHelp("The login at the site; for spectre, your full name.", valueName: "name"))
    var login: String?

    @Option(help: "What spectre makes. Without it, long.")
    var kind: Kind?

    @Flag(help: "No letters in lower case.")
    var noLowercase = false

    @Flag(help: "No letters in upper case.")
    var noUppercase = false

    @Flag(help: "No digits.")
    var noDigits = false

    @Flag(help: "No symbols.")
    var noSymbols = false

    /// The mode with its options.
    ///
    /// - Throws: ``UsageError`` where an option has no meaning in the mode.
    func composerMode() throws(UsageError) -> ComposerMode {
        try refuseUnused()
        let account = Account(login: login ?? "", counter: counter ?? 1)
        let characters = Characters(classes, length: length ?? 16)
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

    private func refuseUnused() throws(UsageError) {
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

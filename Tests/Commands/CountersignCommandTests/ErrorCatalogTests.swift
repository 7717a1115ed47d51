// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CertificateTrust
import CommandSession
import Countersign
import ErrorExplanations
import Foundation
import Testing

@testable import CommandSupport
@testable import CountersignCommand
@testable import AuthorityCommand
@testable import KeychainCommand
@testable import SOAPCommand
@testable import WebCommand

@Suite struct ErrorCatalogTests {
    @Test("A code has one form, and belongs to one error type") func codes() {
        var types: [String: String] = [:]
        for type in Self.catalog.types {
            for code in Set(type.examples.map(\.code)) {
                #expect(code.wholeMatch(of: #/[a-z][a-z0-9-]*\.[a-z0-9-]+/#) != nil, "\(code)")
                #expect(types[code] == nil, "\(code) is in \(type) and in \(types[code] ?? "")")
                types[code] = "\(type)"
            }
        }
    }

    @Test("An error says what happened, why, and what to try", arguments: Self.catalog.entries)
    func parts(entry: ErrorExplanation) {
        for part in [entry.message, entry.reason, entry.advice] {
            #expect(part.count > 8, "\(entry.code): \(part)")
            #expect(part.last.map(".?)".contains) == true || entry.code == "file.pkcs12", "\(entry.code): \(part)")
        }
        #expect(entry.message != entry.reason && entry.reason != entry.advice)
    }

    @Test("Each code in the sources has an example") func examples() throws {
        let known = Set(Self.catalog.entries.map(\.code))
        let stages = Set(Self.catalog.entries.map(\.stage))
        // These are names of handlers, a queue, a host, a file, settings and functions in generated code, which look like
        // codes.
        let others: Set = [
            "lab.pipelining", "lab.connection", "lab.rules", "lab.announcer", "lab.local", "policy.yaml", "xml.element",
            "xml.elements", "xml.nillable",
            "xml.nillables", "xml.group", "web.json", "proxy.exceptions", "proxy.url", "trust.anchors",
        ]
        let sources = Self.root.appending(path: "Sources")
        let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
        var missing: Set<String> = []
        while let file = files?.nextObject() as? URL {
            guard file.pathExtension == "swift" else { continue }
            let text = try String(contentsOf: file, encoding: .utf8)
            for match in text.matches(of: #/(?:Explanation\(\s*|, |: )"([a-z][a-z0-9-]*)\.([a-z0-9-]+)"/#) {
                let code = "\(match.1).\(match.2)"
                if stages.contains(String(match.1)), !known.contains(code), !others.contains(code) {
                    missing.insert(code)
                }
            }
        }
        #expect(missing.isEmpty)
    }

    @Test("The error page matches the code") func page() throws {
        let page = try String(contentsOf: Self.root.appending(path: "docs/reference/errors.md"), encoding: .utf8)
        for program in Self.programs { #expect(page.contains(program.markdown), "run 'make errors'") }
    }

    @Test("Every public error of every target explains itself") func publicErrors() throws {
        let sources = Self.root.appending(path: "Sources")
        let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
        var (declared, explained, listed): (Set<String>, Set<String>, Set<String>) = ([], [], [])
        while let file = files?.nextObject() as? URL {
            guard file.pathExtension == "swift" else { continue }
            let text = try String(contentsOf: file, encoding: .utf8)
            for match in text.matches(of: #/public (?:enum|struct|final class) (\w+): [^{]*\bError\b/#) {
                declared.insert(String(match.1))
            }
            for match in text.matches(of: #/extension (\w+): CataloguedError/#) {
                explained.insert(String(match.1))
                // The errors of a session's stages are among the examples of SessionError.
                if !file.path.contains("/Countersign/Errors/") { listed.insert(String(match.1)) }
            }
        }
        #expect(listed.subtracting(Self.catalog.types.map { "\($0)" }).isEmpty)
        #expect(declared.count > 20)
        #expect(declared.subtracting(explained).isEmpty)
    }

    /// The codes of errors about other sessions (of NTLM, of a token), and of errors that no command meets: a session
    /// that its program has closed, and a policy in NIOSSL's callbacks.
    private static let codesOfOtherSessions: Set = [
        "cancellation.session-closed", "ntlm.refused-feature", "token.session-lost",
        "verification.server-memory-required",
    ]

    @Test("The errors of the main commands name no handler and no session of the library")
    func libraryWords() {
        for program in [CountersignCommand.errors, SOAPProgram.errors] {
            for entry in program.entries where !Self.codesOfOtherSessions.contains(entry.code) {
                let text = [entry.message, entry.reason, entry.advice].joined(separator: " ")
                #expect(!text.contains(#/\b([Hh]andlers?|[Ss]essions?)\b/#), "\(entry.code): \(text)")
            }
        }
    }

    @Test("Options are recommended for existing codes") func options() {
        let known = Set(Self.catalog.entries.map(\.code))
        for program in Self.programs { #expect(program.options.codes.subtracting(known).isEmpty) }
    }

    @Test("A program has recommended options for the errors of its catalogue") func ownCodes() {
        let all = Self.programs.reduce([:]) { $0 + $1.options } as ErrorOptions
        for program in Self.programs {
            for code in program.entries.map(\.code) where all.codes.contains(code) {
                #expect(program.options.codes.contains(code), "\(code)")
            }
        }
    }

    private static let roots: [(errors: ErrorCatalog, shape: CommandShape)] = [
        (CountersignCommand.errors, CommandShape(of: CountersignCommand.self)),
        (KeychainProgram.errors, CommandShape(of: KeychainProgram.self)),
        (AuthorityProgram.errors, CommandShape(of: AuthorityProgram.self)),
        (SOAPProgram.errors, CommandShape(of: SOAPProgram.self)),
        (WebProgram.errors, CommandShape(of: WebProgram.self)),
    ]

    /// Returns a command and all commands below it.
    private static func commands(_ shape: CommandShape) -> [CommandShape] {
        [shape] + shape.subcommands.flatMap(commands)
    }

    /// Returns the long names of the options in a text.
    private static func options(in text: String) -> [String] {
        text.matches(of: #/(?:^|[^-\w])--([a-z][a-z0-9.-]*[a-z0-9])/#).map { String($0.1) }
    }

    /// The options of other commands that advice names, in the same quotes as their command.
    private static let foreign: [(command: String, options: Set<String>)] = [
        ("countersign discover", ["timeout"]), ("swift build", ["package-path", "product", "traits"]),
        ("countersign keychain", CommandShape(of: KeychainProgram.self).allLongNames),
        ("countersign ca", CommandShape(of: AuthorityProgram.self).allLongNames),
        ("countersign trust", CommandShape(of: CountersignCommand.self).allLongNames),
    ]

    /// Returns the options that a text names, without those of other commands.
    private static func ownOptions(in text: String) -> [String] {
        var text = text
        for quoted in text.matches(of: #/'(?:countersign|swift) [^']*'/#) {
            let words = quoted.output.dropFirst()
            let known = foreign.first { words.hasPrefix($0.command) }?.options ?? []
            if known.isSuperset(of: options(in: " " + quoted.output)) {
                text = text.replacing(quoted.output, with: "")
            }
        }
        return options(in: text)
    }

    @Test("All advice of a program names only options that the program has") func advisedOptions() {
        for (errors, root) in Self.roots {
            let names = root.allLongNames
            for entry in errors.entries {
                let added = errors.options.text(for: entry.code, optionsOf: names)
                for option in Self.ownOptions(in: "\(entry.reason) \(entry.advice) \(added)")
                where !names.contains(option) {
                    Issue.record("\(root.name): \(entry.code) names --\(option)")
                }
            }
        }
    }

    @Test("The advice that a command adds to an error names only options that the command has")
    func advisedOptionsOfCommands() {
        for (errors, root) in Self.roots {
            for command in Self.commands(root) {
                let names = Set(command.longNames)
                for code in errors.options.codes {
                    let text = errors.options.text(for: code, optionsOf: names)
                    #expect(names.isSuperset(of: Self.options(in: text)), "\(command.name): \(code): \(text)")
                }
            }
        }
    }

    @Test("The required changes of a report name only options that the command has") func changes() async throws {
        let files = try ChainFiles()
        let inspection = try await ChainFile(files.chain).evaluate(
            for: "a.test", under: TrustPolicy(anchors: .only([CertificateSummary]())), at: Date(),
            with: EvidenceOptions.parse([]).read(), fetcher: nil, environment: [:])
        let advice = InspectionAdvice(inspection: inspection)
        let imports = Set(CommandShape(of: TrustImportCommand.self).longNames)
        let commands = [CommandShape(of: TrustInspectCommand.self), CommandShape(of: TrustEvaluateCommand.self)]
        for line in TrustFailure.examples.flatMap({ advice.changes(after: $0) }) {
            for command in commands {
                let names = line.hasPrefix("  countersign trust import") ? imports : Set(command.longNames)
                #expect(names.isSuperset(of: Self.options(in: line)), "\(command.name): \(line)")
            }
        }
    }

    @Test("A command recommends only options that it has") func ownOptions() {
        let options = ErrorOptions.common
        #expect(options.text(for: "trust.issuer-not-found") == "Options: --fetch-issuers, --anchor FILE.")
        #expect(options.text(for: "trust.issuer-not-found", optionsOf: ["anchor"]) == "Option: --anchor FILE.")
        #expect(options.text(for: "trust.issuer-not-found", optionsOf: []) == "")
        #expect(options.text(for: "tls.no-common-version", optionsOf: ["tls-max"]) == "")
    }

    @Test("Each code ends a program with the documented status") func statuses() {
        var found: [CommandStatus: Set<String>] = [:]
        for example in Self.catalog.types.flatMap({ $0.examples as [any CataloguedError] }) {
            let status = Failure(example).status
            found[status, default: []].insert(example.code)
            // An error about a file has the same status as the error itself.
            guard status != .interrupted, status != .outputClosed else { continue }
            #expect(Failure(NamedFileError(path: "file", error: example)).status == status, "\(example.code)")
        }
        #expect(found[.failed, default: []].count == 625)
        found[.failed] = nil
        #expect(found == Self.statuses)
        let refusal = ResponseSummary(
            status: .unauthorized, url: "https://localhost:8443/", contentType: nil)
        #expect(
            Failure(SessionError.response(.downloadRefused(refusal))).status == .notAuthenticated)
    }

    /// The codes of the errors that end a program with another status than 1.
    private static let statuses: [CommandStatus: Set<String>] = [
        .usage: [
            "host-name.ambiguous-address", "host-name.malformed", "host-name.not-ascii", "pin.malformed",
            "pin.unsupported-hash", "proxy.invalid-exception", "proxy.invalid-variable", "request.forbidden-character",
            "request.invalid-token", "request.invalid-url", "request.not-encrypted", "request.unsupported-scheme",
            "service.credential-without-tls", "service.malformed-name", "service.not-local", "service.not-web",
            "setting.malformed", "setting.missing", "setting.unusable", "tls.library-unavailable",
            "tls.library-unsuitable", "tls.settings-unusable", "tls.versions-excluded",
            "usage.closed-file-descriptor", "usage.contradiction", "usage.counter-zero", "usage.curl-option",
            "usage.file-descriptor", "usage.forbidden-character", "usage.keys", "usage.missing-option",
            "usage.needs-option", "usage.no-anchor", "usage.no-body", "usage.no-characters", "usage.no-full-name",
            "usage.no-master-password", "usage.no-site", "usage.no-variable", "usage.not-json",
            "usage.option-for-files", "usage.option-for-servers", "usage.outputs", "usage.overwrites-input",
            "usage.password-length",
            "usage.plain-http", "usage.policy-and-trust", "usage.proxy", "usage.repeated", "usage.same-file",
            "usage.time", "usage.unknown-code", "usage.upload-name", "usage.value", "usage.write-out",
        ],
        .notTrusted: [
            "request.plain-http-forbidden", "service.trust-needed", "signature.untrusted-signer",
            "anchor.unusable-variable", "trust.bad-signature", "trust.bad-staple", "trust.budget-exhausted",
            "trust.changed", "trust.declined",
            "trust.distrusted",
            "trust.expired", "trust.extended-key-usage", "trust.host-mismatch", "trust.issuer-not-found",
            "trust.key-usage", "trust.malformed-certificate", "trust.malformed-extension",
            "trust.name-constraints", "trust.no-subject-alternative-names", "trust.no-system-anchors",
            "trust.no-valid-policy", "trust.nonconforming", "trust.not-an-authority", "trust.not-yet-valid",
            "trust.path-too-long", "trust.pin-mismatch", "trust.revocation-unknown", "trust.revoked",
            "trust.self-signed", "trust.transparency-insufficient", "trust.unknown-critical-extension",
            "trust.unknown-root", "trust.unreadable", "trust.unsupported-key", "trust.unsupported-signature-algorithm",
            "trust.weak-key",
            "trust.weak-signature",
            "verification.malformed-certificate",
        ],
        .notAuthenticated: [
            "authentication.interrupted", "authentication.malformed-challenge", "authentication.rejected",
            "authentication.server-not-proven",
            "authentication.unanswerable-challenge", "cancellation.challenge", "keychain.erased", "keychain.locked",
            "keychain.root-key-needed", "keychain.too-many-attempts", "keychain.unlock-needed",
            "keychain.wrong-passphrase", "proxy.authentication-required", "proxy.credential-rejected",
            "proxy.methods-not-allowed",
            "soap.not-authenticated", "tls.client-certificate-refused", "tls.client-certificate-required",
            "tls.identity-unusable", "tls.post-handshake-authentication-required", "tls.renegotiation-required",
            "token.pin-incorrect",
            "token.pin-locked", "token.pin-needed",
        ],
        .interrupted: [
            "cancellation.cancelled"
        ],
        .outputClosed: [
            "output.closed"
        ],
    ]

    private static let programs = [
        CountersignCommand.errors, KeychainProgram.errors, AuthorityProgram.errors, SOAPProgram.errors,
        WebProgram.errors,
    ]
    private static let catalog = ErrorCatalog(programs.flatMap(\.types))

    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
}

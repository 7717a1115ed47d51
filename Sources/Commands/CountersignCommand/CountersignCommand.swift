// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CertificateAuthorities
import CertificateTrust
import CertificateTrustNIOSSL
import ChallengeLab
import Challenges
import CommandSession
import CommandSupport
import Countersign
import HTTPClientShape
import Identities
import KeychainService
import PasswordComposer
import PolicyFiles

/// The command `countersign`.
@main
struct CountersignCommand: CommandProgram {
    static let configuration = CommandConfiguration(
        commandName: "countersign",
        abstract: "Reach protected resources, and find out why a connection fails.",
        discussion: """
            Exit status: 0 done; 1 the operation failed; 2 usage; 3 the server is not trusted; 4 not authenticated; 128 and the \
            number of the signal that ended it: 129 (SIGHUP), 130 (Ctrl-C), 141 (its output was closed), 143 (SIGTERM).

            Example: countersign get https://intranet.example/report.pdf --anchor ca.pem --user mary -o report.pdf
            """,
        version: CommandVersion.withTraits,
        subcommands: [
            TransferCommand<Get>.self, TransferCommand<Head>.self, TransferCommand<Post>.self,
            TransferCommand<Put>.self, TransferCommand<Patch>.self, TransferCommand<Delete>.self, TrustCommand.self,
            IdentityCommand.self, ComposeCommand.self, ExplainCommand<CountersignCommand>.self,
            LabCommand.self, TourCommand.self, TopicsCommand.self,
        ]
    )

    static func main() async {
        runExternalCommand(for: Array(CommandLine.arguments.dropFirst()))
        await start()
    }

    static var externalNames: [String] { externalCommands.names }
    static var helpSuffix: String { externalCommands.help }

    /// Returns whether a name is reserved, so that no external command can replace it.
    static func isReservedName(_ name: String) -> Bool {
        // Evaluates only as many configurations as necessary, because each takes time to create.
        name == "help" || configuration.subcommands.contains { $0.configuration.commandName == name }
    }

    private static var externalCommands: ExternalCommands { .installed(reserving: isReservedName) }

    private static func runExternalCommand(for arguments: [String]) {
        do { try externalCommands.run(for: arguments) } catch { end(with: error) }
    }

    private static let transferCommands = Set(
        configuration.subcommands.filter { $0 is any TransferOptions.Type }.map { $0.configuration.commandName ?? "" })

    /// Explains a curl option that the command does not have.
    static func refuse(_ scan: ArgumentScan) throws(UsageError) {
        guard let command = scan.path.first, transferCommands.contains(command) else { return }
        for use in scan.uses where use.parameter == nil {
            guard let sentence = CurlFlag.named(use.spelling)?.sentence(for: use.spelling) else { continue }
            throw .curl(sentence)
        }
    }
}

extension CountersignCommand {
    /// The error types of each target; a new type must be added here.
    static let errors = ErrorCatalog(
        ErrorCatalog.common + [
            // Countersign, by its stages.
            SessionError.self, SettingError.self, AdoptionError.self,
            // CertificateTrust.
            TrustFailure.self, CertificateProblem.self, RevocationProblem.self, RevocationEncodingError.self,
            HostNameError.self, AnchorStoreError.self, PinError.self, TimestampListError.self,
            TransparencyLogListError.self,
            // Challenges.
            HTTPChallengeError.self, HTTPAuthenticatorError.self, NTLMError.self, NetrcError.self,
            // Identities, CertificateTrustNIOSSL, PolicyFiles, CertificateAuthorities, ChallengeLab, HTTPClientShape.
            IdentityError.self, PeerVerificationError.self, PolicyFileError.self, CertificateAuthorityError.self,
            CertificateRequestError.self, LabError.self, HTTPClientError.self,
            // The command.
            InspectionError.self, RemoteNameError.self, FileTimeout.self, ExternalCommandError.self,
            KnownServersError.self, KeychainClientError.self, CompositionError.self, ServiceError.self,
        ],
        options: .common + .keychain + [
            "lab.cannot-write": ["--directory"],
            "lab.cannot-listen": ["--listen"],
            "service.trust-needed": ["--anchor FILE", "--pin", "--service-host HOST", "--policy FILE"],
        ])
}

/// `countersign topics`, and `countersign help topics`: the glossary of messages and options.
struct TopicsCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "topics", abstract: "Explain the terms of trust and challenges.",
        discussion: text + "\n\nExample: countersign help topics")

    private static let text = """
        anchor: a certificate at which a chain may end: the system's, an imported one, or one of --anchor.
        challenge: a demand of a server or proxy: trust in its chain, a certificate, a password or a token.
        client certificate: an identity's certificate, which the client presents to a server that asks.
        credential: the answer to a challenge: a user and password, a token, an identity, or trust in a chain.
        first use: a server's key is accepted once, and must be the same afterwards (--trust first-use).
        identity: a certificate chain with its private key, in PEM or PKCS#12 (--identity).
        intermediate: a certificate between the server's and the anchor, which the server has to send.
        keychain: an encrypted file of credentials, identities, certificates and notes (countersign keychain).
        method: the kind of an authentication challenge: negotiate, scram-sha-256, digest, ntlm, bearer, basic.
        pin: a key or certificate that the server's chain must contain, in addition to every check (--pin).
        policy: the trust requirements of each domain, in one file (--policy).
        profile: the rules beyond RFC 5280: those of the public web, or of private authorities.
        protection space: the scope of a credential: host, port, scheme, realm and method.
        proxy: a server through which requests go; it has challenges too (--proxy).
        realm: the name that a server gives to a group of resources with the same passwords.
        revocation: the withdrawal of a certificate by its issuer, by a list (CRL) or a response (OCSP).
        verdict: the result of evaluating a chain: the paths that were tried, and the check that each failed.
        """

    var wantsJSON: Bool { false }

    func perform(on console: Console) async throws -> CommandStatus {
        try console.print(Self.text)
        return .done
    }
}

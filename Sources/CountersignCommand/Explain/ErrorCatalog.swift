// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateAuthority
import CertificateTrust
import ChallengeLab
import Challenges
import Countersign
import ErrorExplanations
import HTTPClientShape
import Identities
import PolicyFile

/// Every error that the libraries and the command have, by its code.
enum ErrorCatalog {
    /// The error types of each target; a new type is added here.
    static let types: [any CataloguedError.Type] = [
        // Countersign, by its stages.
        SessionError.self,
        // CertificateTrust.
        TrustFailure.self, RevocationProblem.self, RevocationEncodingError.self, HostNameError.self,
        AnchorStoreError.self, PinError.self,
        // Challenges.
        HTTPChallengeError.self, HTTPAuthenticatorError.self, NTLMError.self, NetrcError.self,
        // Identities, PolicyFile, CertificateAuthority, ChallengeLab, HTTPClientShape.
        IdentityError.self, PolicyFileError.self, CertificateAuthorityError.self, LabError.self, HTTPClientError.self,
        // The command.
        CommandError.self, UsageError.self, InspectionError.self, RemoteNameError.self, FileTimeout.self,
        UnsafeFileError.self, ExternalCommandError.self, OutputClosed.self, AnchorFolderError.self,
        KnownServersError.self,
    ]

    /// One example for each code, in the order of the codes.
    static var entries: [ErrorExplanation] {
        let examples = types.flatMap { type in type.examples.map(\.explanation) }
        let byCode = Dictionary(examples.map { ($0.code, $0) }, uniquingKeysWith: { first, _ in first })
        return byCode.values.sorted { $0.code < $1.code }
    }

    /// The page `docs/errors.md`.
    static var page: String {
        let stages = Dictionary(grouping: entries, by: \.stage).sorted { $0.key < $1.key }
        let list = stages.map { stage, entries in
            "## \(stage)\n\n" + entries.map(section).joined(separator: "\n")
        }
        return """
            # Errors

            Every error has a code that never changes: the stage at which the work failed, and the cause. It is the same in the
            library (`error.code`), in `--json`, in logs and metrics. `countersign explain CODE` prints an entry. This page is
            made by `make errors` from the examples in the code.


            """ + list.joined(separator: "\n")
    }

    private static func section(_ entry: ErrorExplanation) -> String {
        """
        ### \(entry.code)

        > \(entry.message)

        - Cause: \(entry.reason)
        - What to do: \(entry.advice)\(Failure.options[entry.code].map { " (\($0))" } ?? "")

        """
    }
}

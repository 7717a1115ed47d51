// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateAuthority
import CertificateTrust
import ChallengeLab
import Challenges
import CommandSession
import CommandSupport
import Countersign
import HTTPClientShape
import Identities
import PasswordComposer
import PolicyFile

extension CountersignCommand {
    /// The error types of each target; a new type is added here.
    static let errors = ErrorCatalog(
        ErrorCatalog.common + [
            // Countersign, by its stages.
            SessionError.self,
            // CertificateTrust.
            TrustFailure.self, RevocationProblem.self, RevocationEncodingError.self, HostNameError.self,
            AnchorStoreError.self, PinError.self, TimestampListError.self, TransparencyLogListError.self,
            // Challenges.
            HTTPChallengeError.self, HTTPAuthenticatorError.self, NTLMError.self, NetrcError.self,
            // Identities, PolicyFile, CertificateAuthority, ChallengeLab, HTTPClientShape.
            IdentityError.self, PolicyFileError.self, CertificateAuthorityError.self, CertificateRequestError.self,
            LabError.self,
            HTTPClientError.self,
            // The command.
            InspectionError.self, RemoteNameError.self, FileTimeout.self, ExternalCommandError.self,
            KnownServersError.self, KeychainClientError.self, CompositionError.self, ServiceError.self,
        ])
}

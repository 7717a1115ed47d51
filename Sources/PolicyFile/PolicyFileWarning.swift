// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Something that a policy file may say, and that its author may not have meant.
public struct PolicyFileWarning: Hashable, Sendable {
    /// The kind of the warning.
    @nonexhaustive
    public enum Reason: Hashable, Sendable {
        /// When the server's key is lost, no client gets to the server until the file is changed (RFC 7469 section 4.3).
        case pinsWithoutBackup
        /// The pins no longer bind, and since when.
        case pinsExpired(Date)
        /// The pins bind for less than 30 days more, and until when.
        case pinsExpireSoon(Date)
        /// The pins are reported, and refuse no server.
        case pinsReportOnly
        /// Any certificate is accepted for any host.
        case validationDisabled
        /// Pins do not matter to who speaks plain http.
        case plainHTTPBesidePins
        /// The domain lies below another whose subdomains are asked for more; nothing of that applies to it.
        case weakerThan(HostName)
        /// An anchor of a file, by its subject, and since when it is no longer valid.
        case expiredAnchor(path: String, subject: String, since: Date)
        /// A list of logs was made more than 70 days ago, and when.
        case outdatedLogList(path: String, made: Date)
    }

    /// The place in the file.
    public let place: PolicyFilePlace
    /// The kind of the warning.
    public let reason: Reason
}

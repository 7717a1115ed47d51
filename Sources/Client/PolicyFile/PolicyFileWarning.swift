// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A warning about an entry that is allowed in a policy file, and that the author may not have meant.
public struct PolicyFileWarning: Hashable, Sendable {
    /// The kind of the warning.
    @nonexhaustive
    public enum Reason: Hashable, Sendable {
        /// There is no backup pin: if the server loses its key, connections fail until the file is changed (RFC 7469 section 4.3).
        case pinsWithoutBackup
        /// The pins are no longer enforced since the given time.
        case pinsExpired(Date)
        /// The pins are enforced only until the given time, at most 30 days from now.
        case pinsExpireSoon(Date)
        /// A mismatch of pins is only reported, and the server is accepted.
        case pinsReportOnly
        /// Any certificate is accepted for any host.
        case validationDisabled
        /// URLs of `http` are allowed, for which pins have no effect.
        case plainHTTPBesidePins
        /// The entry requires less than the given domain's, which includes subdomains but does not apply here.
        case weakerThan(HostName)
        /// An anchor of the file at the path has expired; `since` is the end of its validity.
        case expiredAnchor(path: String, subject: String, since: Date)
        /// The file at the path holds a certificate that is not an authority's, so that its server is trusted by it alone.
        case leafAnchor(path: String, subject: String)
        /// The list of logs at the path was made more than 70 days ago; `made` is when.
        case outdatedLogList(path: String, made: Date)
    }

    /// The place in the file.
    public let place: PolicyFilePlace
    /// The kind of the warning.
    public let reason: Reason
}

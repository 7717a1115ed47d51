// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import EssentialFoundation

/// A signed certificate timestamp that came with a certificate, and what the check of Certificate Transparency made of it.
public struct TimestampFinding: Hashable, Sendable, Codable {
    /// How a timestamp was delivered (RFC 6962 section 3.3).
    public enum Source: String, Hashable, Sendable, Codable, CaseIterable {
        /// In the certificate.
        case certificate
        /// In the TLS extension `signed_certificate_timestamp`.
        case tls
        /// In an OCSP response about the certificate.
        case ocsp
    }

    /// The status of the timestamp.
    @nonexhaustive
    public enum Status: String, Hashable, Sendable, Codable, CaseIterable {
        /// Its log signed it for this certificate, and the log's timestamps count.
        case valid
        /// Its log signed it for this certificate, and was retired since.
        case retiredSince = "retired-since"
        /// Its log was retired before it signed.
        case logRetired = "log-retired"
        /// Its log is pending, rejected, for tests, or has no state in the list.
        case logNotAccepted = "log-not-accepted"
        /// The list does not have its log.
        case unknownLog = "unknown-log"
        /// Its log did not sign it, or signed it for another certificate.
        case badSignature = "bad-signature"
        /// It is signed with something else than ECDSA or RSA with SHA-256, or with another key than its log's.
        case unsupportedAlgorithm = "unsupported-algorithm"
        /// Its time is after the instant of the evaluation (RFC 6962 section 5.2).
        case inFuture = "in-future"
        /// Its log does not take certificates that end when this one does.
        case outsideInterval = "outside-interval"
        /// The same log has another valid timestamp from the same source.
        case repeated
        /// It is not of version 1.
        case unsupportedVersion = "unsupported-version"
        /// It does not have the form of RFC 6962 section 3.2.
        case malformed
        /// The list of timestamps cannot be read at all.
        case listMalformed = "list-malformed"
        /// The list has more than 16 timestamps, and none of them was read.
        case listTooLong = "list-too-long"
        /// The certificate is an anchor itself, so the issuer's key, which the timestamp covers, is not known (RFC 6962 section 3.2).
        case issuerUnknown = "issuer-unknown"
        /// It was left unchecked, because 32 signatures of timestamps had been checked before.
        case notChecked = "not-checked"
    }

    /// How the timestamp was delivered.
    public let source: Source
    /// The status of the timestamp.
    public let status: Status
    /// When the log signed, by the log's clock, to the millisecond; `nil` where it cannot be read.
    public let time: Date?
    /// SHA-256 of the log's key, in base64; `nil` where it cannot be read.
    public let logID: String?
    /// The name of the log in the list, safe to print; `nil` if the list does not have the log.
    public let log: String?
    /// The operator of the log at the time, by the name in the list, safe to print; `nil` if the list does not have the log.
    public let logOperator: String?
}

extension TimestampFinding {
    /// The timestamp, its source and its status, in one line for a person.
    public var explanation: String {
        let name = log.map { "\($0) (\(logOperator ?? "?"))" } ?? logID.map { "log \($0)" } ?? "unreadable"
        let when = time.map { ", \($0.dayText)" } ?? ""
        return "\(name)\(when), \(source.words): \(status.words)"
    }
}

extension TimestampFinding.Source {
    fileprivate var words: String {
        switch self {
        case .certificate: "in the certificate"
        case .tls: "by TLS"
        case .ocsp: "in an OCSP response"
        }
    }
}

extension TimestampFinding.Status {
    fileprivate var words: String {
        switch self {
        case .valid: "valid"
        case .retiredSince: "valid, and the log was retired since"
        case .logRetired: "the log was retired before"
        case .logNotAccepted: "the log is not accepted"
        case .unknownLog: "the log is not in the list"
        case .badSignature: "the log did not sign it for this certificate"
        case .unsupportedAlgorithm: "the algorithm of its signature is not supported"
        case .inFuture: "its time is in the future"
        case .outsideInterval: "the log takes no certificates that end when this one does"
        case .repeated: "another one of the same log"
        case .unsupportedVersion: "its version is not supported"
        case .malformed: "malformed"
        case .listMalformed: "the list of timestamps is malformed"
        case .listTooLong: "the list of timestamps is too long"
        case .issuerUnknown: "the issuer's key is not known"
        case .notChecked: "not checked, because there are too many"
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import EssentialFoundation

/// A signed certificate timestamp of a certificate, and the result of the Certificate Transparency check.
public struct TimestampFinding: Hashable, Sendable, Codable {
    /// The source of a timestamp (RFC 6962 section 3.3).
    public enum Source: String, Hashable, Sendable, Codable, CaseIterable {
        /// The timestamp is in the certificate.
        case certificate
        /// The timestamp is in the TLS extension `signed_certificate_timestamp`.
        case tls
        /// The timestamp is in an OCSP response about the certificate.
        case ocsp
    }

    /// The status of the timestamp.
    @nonexhaustive
    public enum Status: String, Hashable, Sendable, Codable, CaseIterable {
        /// The log signed the timestamp for this certificate, and its timestamps count.
        case valid
        /// The log signed the timestamp for this certificate, and was retired later.
        case retiredSince = "retired-since"
        /// The log was retired before it signed the timestamp.
        case logRetired = "log-retired"
        /// The log is pending, rejected, a test log, or has no state in the list.
        case logNotAccepted = "log-not-accepted"
        /// The log is not in the list.
        case unknownLog = "unknown-log"
        /// The log did not sign the timestamp, or signed it for another certificate.
        case badSignature = "bad-signature"
        /// The signature algorithm is neither ECDSA nor RSA with SHA-256, or does not match the log's key.
        case unsupportedAlgorithm = "unsupported-algorithm"
        /// The time of the timestamp is after the instant of the evaluation (RFC 6962 section 5.2).
        case inFuture = "in-future"
        /// The end of the certificate's validity is outside the log's interval.
        case outsideInterval = "outside-interval"
        /// Another valid timestamp of the same log came from the same source.
        case repeated
        /// The version of the timestamp is not 1.
        case unsupportedVersion = "unsupported-version"
        /// The timestamp does not have the form of RFC 6962 section 3.2.
        case malformed
        /// The list of timestamps cannot be read.
        case listMalformed = "list-malformed"
        /// The list has more than 16 timestamps, so that none of them was read.
        case listTooLong = "list-too-long"
        /// The certificate is an anchor itself, so the issuer's key, which the timestamp covers, is unknown (RFC 6962
        /// section 3.2).
        case issuerUnknown = "issuer-unknown"
        /// The timestamp was not checked, because the limit of 32 signature checks was reached.
        case notChecked = "not-checked"
    }

    /// The source of the timestamp.
    public let source: Source
    /// The status of the timestamp.
    public let status: Status
    /// The time of the signature by the log's clock, with a resolution of one millisecond; `nil` if it cannot be read.
    public let time: Date?
    /// The SHA-256 hash of the log's key, in base64; `nil` if it cannot be read.
    public let logID: String?
    /// The name of the log in the list, safe to print; `nil` if the log is not in the list.
    public let log: String?
    /// The log's operator at ``time``, by its name in the list, safe to print; `nil` if the log is not in the list.
    public let logOperator: String?
}

extension TimestampFinding {
    /// The timestamp with its source and status, as a line of text for the user.
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
        case .outsideInterval: "the log accepts no certificates with this end of validity"
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

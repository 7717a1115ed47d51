// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import EssentialFoundation
public import X509

/// An authority's renewal information for a certificate (RFC 9773 section 4.2).
public struct RenewalInfo: Codable, Hashable, Sendable {
    /// The period in which a client renews the certificate, at a random time.
    public struct Window: Codable, Hashable, Sendable {
        /// The earliest time for renewal.
        public var start: Date {
            get { first.date }
            set { first = ACMETimestamp(newValue) }
        }
        /// The latest time for renewal.
        public var end: Date {
            get { last.date }
            set { last = ACMETimestamp(newValue) }
        }
        private var first, last: ACMETimestamp

        private enum CodingKeys: String, CodingKey {
            case first = "start"
            case last = "end"
        }

        /// Creates a window from times, which are rounded down to whole seconds.
        public init(start: Date, end: Date) { (first, last) = (ACMETimestamp(start), ACMETimestamp(end)) }
    }

    /// The window for renewal.
    ///
    /// If it is in the past, the client renews at once.
    public var suggestedWindow: Window
    /// The URL of a page that explains the window; `nil` if there is none.
    public var explanationURL: String?

    /// Creates renewal information.
    public init(suggestedWindow: Window, explanationURL: String? = nil) {
        (self.suggestedWindow, self.explanationURL) = (suggestedWindow, explanationURL)
    }

    /// Creates renewal information from the validity period of a certificate.
    ///
    /// The window begins when a third of the period remains, or half if the period is shorter than ten days. Its
    /// length is 2 % of the period, and at least one second.
    ///
    /// - Parameters:
    ///   - start: The start of the validity period.
    ///   - end: The end of the validity period.
    public init(validFrom start: Date, to end: Date) {
        let period = end.timeIntervalSince(start)
        let rest = period < 10 * 86_400 ? period / 2 : period / 3
        let from = end - rest
        // An empty window is not allowed, and timestamps have whole seconds.
        self.init(suggestedWindow: Window(start: from, end: from + max(period / 50, 1)))
    }

    /// Creates renewal information for a revoked certificate, with a window from two hours to one hour before the
    /// current time.
    ///
    /// - Parameter now: The current time.
    public init(revokedBefore now: Date) {
        self.init(suggestedWindow: Window(start: now - 7_200, end: now - 3_600))
    }
}

/// The identifier of a certificate in a renewal information request: the issuer's key identifier and the serial number
/// (RFC 9773 section 4.1).
public struct CertificateIdentifier: Hashable, Sendable, CustomStringConvertible {
    /// The key identifier in the certificate's authority key identifier extension (RFC 5280 section 4.2.1.1).
    public let authorityKey: [UInt8]
    /// The content bytes of the serial number in DER, with a leading zero byte if the first bit would be set otherwise.
    public let serialNumber: [UInt8]

    /// Creates the identifier of a certificate; returns `nil` if the certificate does not identify its issuer's key.
    public init?(_ certificate: Certificate) {
        guard let key = try? certificate.extensions.authorityKeyIdentifier?.keyIdentifier else { return nil }
        let serial = certificate.serialNumber.bytes
        authorityKey = Array(key)
        serialNumber = (serial.first.map { $0 & 0x80 != 0 } ?? false ? [0] : []) + Array(serial)
    }

    /// Parses an identifier; returns `nil` if the text is malformed.
    ///
    /// - Parameter text: The two parts in base64url, separated by a dot, in at most 256 bytes.
    public init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard text.utf8.count <= 256, parts.count == 2, let key = Base64URL.decode(parts[0]), !key.isEmpty,
            let serial = Base64URL.decode(parts[1]), let first = serial.first, first & 0x80 == 0
        else { return nil }
        (authorityKey, serialNumber) = (key, serial)
    }

    /// The serial number as an X509 value.
    public var number: Certificate.SerialNumber { Certificate.SerialNumber(bytes: serialNumber) }

    /// The two parts in base64url, separated by a dot.
    public var description: String { Base64URL.encode(authorityKey) + "." + Base64URL.encode(serialNumber) }
}

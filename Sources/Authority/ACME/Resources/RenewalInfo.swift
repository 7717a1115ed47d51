// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import EssentialFoundation
public import X509

/// When an authority wants a certificate to be renewed (RFC 9773 section 4.2).
public struct RenewalInfo: Codable, Hashable, Sendable {
    /// The period in which a client renews, at a random instant between its ends.
    public struct Window: Codable, Hashable, Sendable {
        /// The first instant at which to renew.
        public var start: Timestamp
        /// The last instant at which to renew.
        public var end: Timestamp

        /// A window by its ends.
        public init(start: Timestamp, end: Timestamp) { (self.start, self.end) = (start, end) }
    }

    /// When the certificate is to be renewed; a window in the past asks for renewal at once.
    public var suggestedWindow: Window
    /// The URL of a page that says why; `nil` if there is none.
    public var explanationURL: String?

    /// Makes the information about the renewal of a certificate.
    public init(suggestedWindow: Window, explanationURL: String? = nil) {
        (self.suggestedWindow, self.explanationURL) = (suggestedWindow, explanationURL)
    }

    /// Makes the window of a certificate of which only the period of validity is known.
    ///
    /// The window begins when a third of the period is left, or a half if the period is shorter than ten days. Its width is 2 % of the
    /// period, and one second at least.
    ///
    /// - Parameters:
    ///   - start: When the certificate begins to be valid.
    ///   - end: When the certificate expires.
    public init(validFrom start: Date, to end: Date) {
        let period = end.timeIntervalSince(start)
        let rest = period < 10 * 86_400 ? period / 2 : period / 3
        let from = end - rest
        // An empty window is not allowed, and instants are whole seconds.
        self.init(suggestedWindow: Window(start: Timestamp(from), end: Timestamp(from + max(period / 50, 1))))
    }

    /// Makes the window of a revoked certificate, which lies in the past: from two hours to one hour before the time.
    ///
    /// - Parameter now: The time.
    public init(revokedBefore now: Date) {
        self.init(suggestedWindow: Window(start: Timestamp(now - 7_200), end: Timestamp(now - 3_600)))
    }
}

/// The identifier by which a client asks for renewal information: the issuer's key identifier and the serial number (RFC 9773 section 4.1).
public struct CertificateIdentifier: Hashable, Sendable, CustomStringConvertible {
    /// The key identifier in the certificate's authority key identifier extension (RFC 5280 section 4.2.1.1).
    public let authorityKey: [UInt8]
    /// The content bytes of the serial number in DER: with a zero byte in front where the first bit would be set otherwise.
    public let serialNumber: [UInt8]

    /// Makes the identifier of a certificate; `nil` where the certificate does not name its issuer's key.
    public init?(_ certificate: Certificate) {
        guard let key = try? certificate.extensions.authorityKeyIdentifier?.keyIdentifier else { return nil }
        let serial = certificate.serialNumber.bytes
        authorityKey = Array(key)
        serialNumber = (serial.first.map { $0 & 0x80 != 0 } ?? false ? [0] : []) + Array(serial)
    }

    /// Reads an identifier; `nil` where the text is malformed.
    ///
    /// - Parameter text: The two parts in base64url, with a dot between them, in at most 256 bytes.
    public init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard text.utf8.count <= 256, parts.count == 2, let key = Base64URL.decode(parts[0]), !key.isEmpty,
            let serial = Base64URL.decode(parts[1]), let first = serial.first, first & 0x80 == 0
        else { return nil }
        (authorityKey, serialNumber) = (key, serial)
    }

    /// The serial number as X509 represents it.
    public var number: Certificate.SerialNumber { Certificate.SerialNumber(bytes: serialNumber) }

    /// Two parts in base64url, with a dot between them.
    public var description: String { Base64URL.encode(authorityKey) + "." + Base64URL.encode(serialNumber) }
}

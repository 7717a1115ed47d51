// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Encodings
internal import ErrorExplanations
internal import SwiftASN1
internal import X509

/// A part of a file that was not read, although the file's other parts were.
public struct UnreadContent: Hashable, Sendable {
    /// The reason, by the kind of the part.
    package enum Cause: Hashable, Sendable {
        /// The text of a PEM block is not Base64.
        case notBase64
        /// A PEM block has no end with its label.
        case unended
        /// The content is something else than a certificate. Holds its name or PEM label.
        case otherContent(String)
        /// A certificate in DER cannot be read.
        case certificate([UInt8])
        /// A private key cannot be read.
        case privateKey
    }

    /// The place of a part in its file.
    struct Place {
        /// The position among the parts, counted from 1.
        let position: Int
        let count: Int
        /// The number of the line on which a PEM block begins, counted from 1; `nil` in other files.
        let line: Int?
    }

    /// The position among the parts of the file, counted from 1.
    public let position: Int
    /// The number of parts in the file.
    public let count: Int
    /// The number of the line on which the PEM block begins, counted from 1; `nil` if the part is not in PEM.
    public let line: Int?
    /// The error of reading the part.
    public let reason: IdentityError
    package let cause: Cause

    init(_ place: Place, _ reason: IdentityError, _ cause: Cause) {
        (position, count, line) = (place.position, place.count, place.line)
        (self.reason, self.cause) = (reason, cause)
    }

    /// Returns the same part with another reason.
    package func with(_ reason: IdentityError) -> Self {
        Self(Place(position: position, count: count, line: line), reason, cause)
    }

    /// The bytes of the certificate in DER; `nil` for other contents, and for a broken PEM block.
    public var certificate: [UInt8]? { if case .certificate(let der) = cause { der } else { nil } }
}

extension UnreadContent: CustomStringConvertible {
    /// The place and the reason, as in "certificate 3 of 5 (line 41, subject CN=Old Root): ...", safe to print.
    public var description: String {
        let subject = certificate.flatMap(Certificate.subject).map { "subject \($0)" }
        let details = [line.map { "line \($0)" }, subject].compactMap(\.self).joined(separator: ", ")
        let place = "\(noun) \(position) of \(count)" + (details.isEmpty ? "" : " (\(details))")
        return "\(place): \(clause)".printable
    }

    private var noun: String {
        switch cause {
        case .certificate: "certificate"
        case .privateKey: "private key"
        case .notBase64, .unended, .otherContent: "block"
        }
    }

    private var clause: String {
        switch (cause, reason) {
        case (.notBase64, _): "the text between its boundaries is not Base64, so it is damaged"
        case (.unended, _): "its -----END line is missing or has another label"
        case (.otherContent(let name), _): "it contains \(name)"
        case (_, .unsupported(let name)): "it uses \(name), which is not supported"
        case (.certificate, .malformed(_, offset: nil)): "it does not follow RFC 5280"
        case (.certificate, _): "it is not a certificate"
        case (.privateKey, .malformed(.pem, _)): "its PEM block is damaged or cut off"
        case (.privateKey, _): "it does not have the form of a private key"
        }
    }
}

extension IdentityError {
    /// Whether the error is about the form of one part of a file, so that the others can be read.
    var isAboutForm: Bool {
        switch self {
        case .unsupported, .malformed: true
        default: false
        }
    }
}

extension [UnreadContent] {
    /// The descriptions of the first parts, and the number of the others.
    package var lines: [String] {
        let rest = count - 10
        return prefix(10).map(\.description) + (rest > 0 ? ["and \(rest) other\(rest == 1 ? "" : "s")"] : [])
    }

    /// The error for a file of which nothing was read: the reason of the only part, or all of them.
    package var error: IdentityError? { count > 1 ? .noneReadable(self) : first?.reason }
}

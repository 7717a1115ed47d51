// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import Encodings
public import ErrorExplanations
public import EssentialFoundation
public import X509

/// A key or certificate that a trusted path must contain, identified by the SHA-256 of its encoding.
public struct Pin: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The kind of the pin: the part of a path that it identifies.
    @nonexhaustive
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// The SubjectPublicKeyInfo of any certificate of the path (RFC 7469 section 2.4).
        case publicKey = "sha256"
        /// The complete server certificate, so that a renewal breaks the pin.
        case certificate = "certificate-sha256"
        /// The SubjectPublicKeyInfo of an authority above the server.
        case authority = "authority-sha256"
    }

    /// The kind of the pin: the part of a path that it identifies.
    public let kind: Kind
    private let digest: [UInt8]

    /// Reads a pin: `sha256/`, `certificate-sha256/` or `authority-sha256/`, followed by 32 bytes in base64 or in
    /// hexadecimal with or without colons.
    ///
    /// - Throws: ``PinError`` if the text has another form or names another hash.
    public init(_ text: String) throws(PinError) {
        let parts = text.split(separator: "/", maxSplits: 1)
        guard parts.count == 2 else { throw .malformed(text) }
        guard let kind = Kind(rawValue: String(parts[0])) else { throw .unsupportedHash(String(parts[0])) }
        guard let digest = Self.bytes(String(parts[1])), digest.count == SHA256.byteCount else {
            throw .malformed(text)
        }
        self.kind = kind
        self.digest = digest
    }

    /// Makes the pin of a certificate, or of its key, which is the default.
    public init(_ kind: Kind = .publicKey, of certificate: Certificate) {
        self.init(kind, of: ParsedCertificate(certificate))
    }

    init(_ kind: Kind, of certificate: ParsedCertificate) {
        self.kind = kind
        digest =
            switch kind {
            // This hashes the encoded SubjectPublicKeyInfo; swift-certificates
            // 1.21 returns only the bare key under that name.
            case .publicKey, .authority: Array(SHA256.hash(data: certificate.fields.publicKeyInfo))
            case .certificate: Array(SHA256.hash(data: certificate.bytes))
            }
    }

    /// The kind, a slash, and the digest in base64.
    public var description: String { kind.rawValue + "/" + Base64.encode(digest) }

    private static func bytes(_ text: String) -> [UInt8]? {
        let digits = text.filter { $0 != ":" }
        guard digits.utf8.count == 2 * SHA256.byteCount, let bytes = Hexadecimal.decode(digits) else {
            return Base64.decode(text, as: .mime)
        }
        return bytes
    }
}

extension Pin {
    /// Decodes the text of a pin.
    ///
    /// - Throws: ``PinError``, and the decoder's errors.
    public init(from decoder: any Decoder) throws {
        try self.init(decoder.singleValueContainer().decode(String.self))
    }

    /// Encodes the text of the pin.
    ///
    /// - Throws: The encoder's errors.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

/// An error of reading a pin.
@nonexhaustive
public enum PinError: Error, Hashable, Sendable {
    /// The text has no digest of 32 bytes in base64 or hexadecimal after a slash. Holds the text.
    case malformed(String)
    /// The text before the slash is not a kind in ``Pin/Kind``. Holds that text.
    case unsupportedHash(String)
}

extension PinError: CataloguedError {
    /// The explanation: what happened, why, and what to try.
    public var explanation: ErrorExplanation {
        let advice = "Write it as sha256/ and 44 characters of base64, such as a verdict prints for each certificate."
        return switch self {
        case .malformed(let text):
            ErrorExplanation(
                .usage, "pin.malformed", "\"\(text)\" is not a pin.",
                reason: "A pin is a SHA-256 digest of 32 bytes, in base64 or hexadecimal.", advice: advice)
        case .unsupportedHash(let name):
            ErrorExplanation(
                .usage, "pin.unsupported-hash", "The hash \(name) is not supported for pins.",
                reason: "Pins are SHA-256 digests, as in RFC 7469 section 2.4.", advice: advice)
        }
    }

    package static var examples: [Self] { [.malformed("sha256/abc"), .unsupportedHash("sha1")] }
}

/// Pins of which a trusted path must satisfy at least one, in addition to all other checks.
public struct PinSet: Hashable, Sendable, Codable {
    /// The consequence for a path that satisfies none of the pins.
    @nonexhaustive
    public enum Enforcement: String, Hashable, Sendable, Codable {
        /// The path is not trusted, and no handler can override that.
        case enforced
        /// The verdict only contains a remark, so that pins can be tried out.
        case reportOnly
    }

    /// The pins in use.
    ///
    /// With neither pins nor backups, every path satisfies the set.
    public var pins: Set<Pin>
    /// The pins of backup keys (RFC 7469 section 4.3).
    ///
    /// They satisfy the set too, and the verdict then has a remark that a backup key is in use.
    public var backups: Set<Pin>
    /// The expiry of the pins, so that an application without updates is not locked out forever; `nil` for no expiry.
    public var expiry: Date?
    /// The consequence for a path that satisfies none of the pins.
    public var enforcement: Enforcement

    /// Makes an empty set, which every path satisfies.
    public init() {
        self.init([] as Set)
    }

    /// Makes a set of pins; without arguments, an empty set, which every path satisfies.
    public init(
        _ pins: Set<Pin> = [], backups: Set<Pin> = [], expiry: Date? = nil, enforcement: Enforcement = .enforced
    ) {
        self.pins = pins
        self.backups = backups
        self.expiry = expiry
        self.enforcement = enforcement
    }

    /// Whether the set has no pins, so that every path satisfies it.
    public var isEmpty: Bool { pins.isEmpty && backups.isEmpty }

    /// Returns whether a path must satisfy one of the pins at this time to be trusted.
    public func isEnforced(at time: Date) -> Bool { enforcement == .enforced && binds(at: time) }

    func binds(at time: Date) -> Bool { !isEmpty && expiry.map { time < $0 } ?? true }
}

extension PinSet: ExpressibleByArrayLiteral {
    /// Makes a set of pins without backups or expiry.
    public init(arrayLiteral pins: Pin...) {
        self.init(Set(pins))
    }
}

extension PinSet {
    /// Compares a path with the pins (RFC 7469 section 2.6).
    ///
    /// - Parameters:
    ///   - path: The path, leaf first; only the leaf if no path was found, because nothing else was proved.
    ///   - time: The instant of the evaluation.
    /// - Returns: The failure and the remark that result from the comparison.
    func check(
        _ path: [ParsedCertificate], at time: Date
    ) -> (failure: TrustFailure?, remark: Verdict.Remark?) {
        guard !isEmpty else { return (nil, nil) }
        guard binds(at: time) else { return (nil, expiry.map { .pinsExpired(on: $0) }) }
        if pins.contains(where: { $0.isSatisfied(by: path) }) { return (nil, nil) }
        if let backup = backups.first(where: { $0.isSatisfied(by: path) }) { return (nil, .backupPinInUse(backup)) }
        let wanted = pins.union(backups).sorted { $0.description < $1.description }
        let presented = path.map { Pin(.publicKey, of: $0) }
        return switch enforcement {
        case .enforced: (.pinMismatch(pins: wanted, presented: presented), nil)
        case .reportOnly: (nil, .pinMismatchReported(pins: wanted, presented: presented))
        }
    }
}

extension Pin {
    fileprivate func isSatisfied(by path: [ParsedCertificate]) -> Bool {
        let candidates =
            switch kind {
            case .publicKey: path[...]
            case .certificate: path.prefix(1)
            case .authority: path.dropFirst()
            }
        return candidates.contains { Pin(kind, of: $0) == self }
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A version of TLS, with its number in the protocol.
package enum TLSProtocolVersion: UInt16, Comparable, Sendable {
    /// TLS 1.0 (RFC 2246), which RFC 8996 forbids.
    case tls10 = 0x0301
    /// TLS 1.1 (RFC 4346), which RFC 8996 forbids.
    case tls11 = 0x0302
    /// TLS 1.2 (RFC 5246).
    case tls12 = 0x0303
    /// TLS 1.3 (RFC 8446).
    case tls13 = 0x0304

    /// The name, such as `TLSv1.3`.
    package var name: String { "TLSv1.\(rawValue & 0xff - 1)" }

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// An alert (RFC 8446 section 6), with its number in IANA's registry.
public struct TLSAlert: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    package static let closeNotify = Self(rawValue: 0)
    package static let handshakeFailure = Self(rawValue: 40)
    package static let badCertificate = Self(rawValue: 42)
    package static let unsupportedCertificate = Self(rawValue: 43)
    package static let certificateRevoked = Self(rawValue: 44)
    package static let certificateExpired = Self(rawValue: 45)
    package static let certificateUnknown = Self(rawValue: 46)
    package static let illegalParameter = Self(rawValue: 47)
    package static let unknownCA = Self(rawValue: 48)
    package static let accessDenied = Self(rawValue: 49)
    package static let protocolVersion = Self(rawValue: 70)
    package static let insufficientSecurity = Self(rawValue: 71)
    package static let internalError = Self(rawValue: 80)
    package static let userCanceled = Self(rawValue: 90)
    package static let noRenegotiation = Self(rawValue: 100)
    package static let unrecognizedName = Self(rawValue: 112)
    package static let badCertificateStatusResponse = Self(rawValue: 113)
    package static let certificateRequired = Self(rawValue: 116)
    package static let noApplicationProtocol = Self(rawValue: 120)

    private static let names: [UInt8: String] = [
        0: "close_notify", 10: "unexpected_message", 20: "bad_record_mac", 21: "decryption_failed",
        22: "record_overflow", 30: "decompression_failure", 40: "handshake_failure", 41: "no_certificate",
        42: "bad_certificate", 43: "unsupported_certificate", 44: "certificate_revoked", 45: "certificate_expired",
        46: "certificate_unknown", 47: "illegal_parameter", 48: "unknown_ca", 49: "access_denied", 50: "decode_error",
        51: "decrypt_error", 52: "too_many_cids_requested", 60: "export_restriction", 70: "protocol_version",
        71: "insufficient_security", 80: "internal_error", 86: "inappropriate_fallback", 90: "user_canceled",
        100: "no_renegotiation", 109: "missing_extension", 110: "unsupported_extension",
        111: "certificate_unobtainable", 112: "unrecognized_name", 113: "bad_certificate_status_response",
        114: "bad_certificate_hash_value", 115: "unknown_psk_identity", 116: "certificate_required",
        117: "general_error", 120: "no_application_protocol", 121: "ech_required",
    ]

    /// The number.
    public let rawValue: UInt8

    /// Makes an alert from its number, which need not be registered.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The registered name, such as `unknown_ca`; `nil` if the number has none.
    package var name: String? { Self.names[rawValue] }

    /// The registered name, or the number.
    public var description: String { name ?? "alert \(rawValue)" }
}

/// A group for the key exchange, with its number in IANA's registry.
package struct TLSGroup: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    private static let names: [UInt16: String] = [
        23: "secp256r1", 24: "secp384r1", 25: "secp521r1", 26: "brainpoolP256r1",
        27: "brainpoolP384r1", 28: "brainpoolP512r1", 29: "x25519", 30: "x448", 31: "brainpoolP256r1tls13",
        32: "brainpoolP384r1tls13", 33: "brainpoolP512r1tls13", 256: "ffdhe2048", 257: "ffdhe3072", 258: "ffdhe4096",
        0x11EC: "X25519MLKEM768",
    ]

    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The registered name, or the number in hexadecimal.
    package var description: String { Self.names[rawValue] ?? "0x" + String(rawValue, radix: 16) }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Why a proxy of SOCKS did not connect to a destination (RFC 1928 sections 3 and 6).
public enum SOCKSRefusal: Hashable, Sendable {
    /// The proxy accepts neither a client without a login nor a user with a password.
    case noAcceptableMethod
    /// The proxy reports a general failure.
    case generalFailure
    /// The rules of the proxy forbid the destination.
    case notAllowed
    /// The proxy cannot reach the network of the destination.
    case networkUnreachable
    /// The proxy cannot reach the host, or, with many proxies, cannot resolve its name.
    case hostUnreachable
    /// The destination refused the connection.
    case connectionRefused
    /// The route from the proxy to the destination is too long.
    case timeToLiveExpired
    /// The proxy does not support the command CONNECT.
    case commandNotSupported
    /// The proxy does not support this type of address.
    case addressTypeNotSupported
    /// The proxy sent a code that the standard does not assign. Holds the code.
    case unassigned(UInt8)

    /// Reads the code of a reply that is no success.
    init(code: UInt8) {
        self =
            switch code {
            case 1: .generalFailure
            case 2: .notAllowed
            case 3: .networkUnreachable
            case 4: .hostUnreachable
            case 5: .connectionRefused
            case 6: .timeToLiveExpired
            case 7: .commandNotSupported
            case 8: .addressTypeNotSupported
            default: .unassigned(code)
            }
    }
}

/// The defect in a message of a SOCKS proxy (RFC 1928).
public enum MalformedSOCKS: Hashable, Sendable {
    /// The first byte of a message is not the required version. Holds the byte.
    case version(UInt8)
    /// The proxy chose an authentication method that the client did not offer. Holds the method's number.
    case method(UInt8)
    /// A reserved byte is not 0. Holds the byte.
    case reserved(UInt8)
    /// The proxy names its own address by a type that the standard does not define. Holds the type.
    case addressType(UInt8)
    /// The proxy sent more bytes than its messages have.
    case excess
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Why a proxy of SOCKS opened no way to a destination (RFC 1928 sections 3 and 6).
public enum SOCKSRefusal: Hashable, Sendable {
    /// It accepts neither a client without a login nor a user with a password.
    case noAcceptableMethod
    case generalFailure
    /// Its rules forbid the destination.
    case notAllowed
    case networkUnreachable
    /// Or, with many proxies, a name that is not known.
    case hostUnreachable
    case connectionRefused
    case timeToLiveExpired
    case commandNotSupported
    case addressTypeNotSupported
    /// A code that the standard does not assign.
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

/// The defect in a message of a SOCKS proxy.
public enum MalformedSOCKS: Hashable, Sendable {
    /// The first byte of a message is not the version that it must be.
    case version(UInt8)
    /// It chose a way to log in that was not offered.
    case method(UInt8)
    /// A byte that must be 0 is not.
    case reserved(UInt8)
    /// It names its own address in a form that the standard does not have.
    case addressType(UInt8)
    /// It said more than it was asked.
    case excess
}

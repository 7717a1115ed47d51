// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import TLSTransport

/// A setting with which a failed TLS handshake may succeed.
@nonexhaustive
public enum TLSAlternative: Hashable, Sendable {
    /// BoringSSL, which can use private keys that are not in memory, and servers without secure renegotiation.
    case boringSSL
    /// OpenSSL, which supports more groups and suites.
    case openSSL
    /// The leniency for old servers, by OpenSSL.
    case legacyTLS
}

extension TLSFailure {
    /// OpenSSL's reasons for declining weak parameters of a server, apart from the version.
    private static let weaknesses: Set = ["DH_KEY_TOO_SMALL", "EE_KEY_TOO_SMALL"]

    /// Returns the setting with which a handshake may succeed that failed with other settings; `nil` if none is known.
    ///
    /// Servers send the same alert for every parameter that they do not have in common with the client, so the
    /// alternative is only possible. Its trust and, apart from the leniency, its versions are the same.
    func alternative(to settings: TLSClientSettings) -> TLSAlternative? {
        let isLenient = settings.allowsLegacy || settings.usesSystemConfiguration
        switch self {
        case .received(.protocolVersion), .violation(reason: "UNSUPPORTED_PROTOCOL", _):
            return isLenient || settings.versions != .tls12 ... .tls13 ? nil : .legacyTLS
        case .received(.handshakeFailure), .received(.insufficientSecurity):
            return settings.library == .boringSSL ? .openSSL : isLenient ? nil : .legacyTLS
        case .violation(let reason, _) where Self.weaknesses.contains(reason):
            return isLenient ? nil : .legacyTLS
        // BoringSSL serves such a server, but does not renegotiate with it.
        case .violation(reason: "UNSAFE_LEGACY_RENEGOTIATION_DISABLED", _):
            return .boringSSL
        case .unusableIdentity:
            return settings.library == .boringSSL ? .openSSL : nil
        default:
            return nil
        }
    }
}

extension TransportError {
    /// The server whose handshake may succeed with OpenSSL; `nil` for every other error.
    var peerNeedingOpenSSL: ConnectionPeer? {
        switch self {
        case .alertReceived(let peer, _, alternative: .openSSL), .handshakeFailed(let peer, _, alternative: .openSSL),
            .identityUnusable(let peer, _, alternative: .openSSL):
            peer
        default: nil
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import ErrorExplanations

/// An error in adding a peer to a device.
package enum WireGuardPeerError: Error, Hashable, CaseIterable {
    /// The public key of the peer is that of the device.
    case ownKey
    /// Another peer of the device already has the public key.
    case duplicateKey
    /// The public key has small order, so that every shared secret is zero (RFC 7748 section 6.1).
    case weakKey
}

extension WireGuardPeerError: ExplainedError {
    /// An explanation of the error: its cause, its meaning and a remedy.
    package var explanation: ErrorExplanation {
        switch self {
        case .ownKey:
            ErrorExplanation(
                "wireguard.own-key", "The peer has the public key of this device.",
                reason: "A device cannot have a session with itself.", advice: "Give each device its own private key.")
        case .duplicateKey:
            ErrorExplanation(
                "wireguard.known-key", "Another peer has the same public key.",
                reason: "Peers are identified by their keys.", advice: "Remove the other peer first.")
        case .weakKey:
            ErrorExplanation(
                "wireguard.weak-key", "The peer's public key makes every shared secret zero.",
                reason: "No private key has such a public key.", advice: "Request the peer's public key again.")
        }
    }
}

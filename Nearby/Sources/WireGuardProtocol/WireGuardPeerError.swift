// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import ErrorExplanations

/// Why a peer cannot be added to a device.
package enum WireGuardPeerError: Error, Hashable, CaseIterable {
    case ownKey
    case knownKey
    case weakKey
}

extension WireGuardPeerError: ExplainedError {
    /// What happened, what that means and what to try.
    package var explanation: ErrorExplanation {
        switch self {
        case .ownKey:
            ErrorExplanation(
                "wireguard.own-key", "The peer has the public key of this device.",
                reason: "A device has no session with itself.", advice: "Give each device its own private key.")
        case .knownKey:
            ErrorExplanation(
                "wireguard.known-key", "Another peer has the same public key.",
                reason: "Peers are told apart by their keys.", advice: "Remove the other peer first.")
        case .weakKey:
            ErrorExplanation(
                "wireguard.weak-key", "The peer's public key is one with which every secret is zero.",
                reason: "No private key has such a public key.", advice: "Ask the peer for its key again.")
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// What the other side is expected to be called.
package enum PeerName: Hashable, Sendable {
    case host(HostName)
    /// A mailbox as a certificate has it (RFC 5280 section 4.2.1.6): `user@host`.
    case mailbox(String)

    var text: String {
        switch self {
        case .host(let host): host.description
        case .mailbox(let mailbox): mailbox
        }
    }
}

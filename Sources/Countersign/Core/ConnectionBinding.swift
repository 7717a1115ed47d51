// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges

/// Whose connection it is, where a scheme authenticates the connection and not the request: nobody else's request goes over it.
struct ConnectionBinding: Hashable, Sendable {
    let space: ProtectionSpace
    /// The request's own credential, if it had one: without it the connection is a stranger's.
    let own: Credential?
    let credential: Credential

    /// How far a request came in authenticating the connection that it went over.
    enum Progress: Hashable, Sendable {
        /// The request needed nothing of the kind.
        case none
        /// The next message belongs to the same connection.
        case exchanging
        case established
        case refused
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Whom a proxy of SOCKS lets in.
package enum SOCKSGate: Hashable, Sendable {
    /// Accepts every client without authentication.
    case open
    /// Accepts every user with any password.
    case anyLogin
    case login(LabCredentials)

    func admits(user: String, password: String) -> Bool {
        switch self {
        case .open, .anyLogin: true
        case .login(let known): user == known.user && password == known.password
        }
    }
}

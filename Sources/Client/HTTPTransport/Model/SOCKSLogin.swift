// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import Secrets

/// The user and the password for a proxy of SOCKS (RFC 1929).
package struct SOCKSLogin: Sendable {
    /// The user.
    package let user: String
    /// The password, which may be empty.
    package let password: Secret

    package init(user: String, password: Secret) {
        (self.user, self.password) = (user, password)
    }
}

/// Why a login for a proxy of SOCKS cannot be sent (RFC 1929 section 2).
package enum SOCKSLoginFlaw: Error, Hashable {
    /// The user is empty, or longer than the limit, which is in bytes.
    case userLength(limit: Int)
    /// The password is longer than the limit, which is in bytes.
    case passwordLength(limit: Int)
}

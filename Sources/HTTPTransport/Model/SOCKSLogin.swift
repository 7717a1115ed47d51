// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import Secrets

/// The user and the password for a proxy of SOCKS (RFC 1929).
package struct SOCKSLogin: Sendable {
    package let user: String
    package let password: Secret

    package init(user: String, password: Secret) {
        (self.user, self.password) = (user, password)
    }
}

/// Why a login cannot be sent (RFC 1929 section 2); the limit is in bytes.
package enum SOCKSLoginFlaw: Error, Hashable {
    case userLength(limit: Int)
    case passwordLength(limit: Int)
}

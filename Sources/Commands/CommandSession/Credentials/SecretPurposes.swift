// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CommandSupport

/// The password of `--user`.
package enum UserPassword: SecretPurpose {
    package static let option = "password"
    package static let subject = "the user's password"
}

/// The password of `--proxy-user`.
package enum ProxyPassword: SecretPurpose {
    package static let option = "proxy-password"
    package static let subject = "the proxy user's password"
}

/// The token for the URL's origin.
package enum BearerToken: SecretPurpose {
    package static let option = "bearer"
    package static let subject = "a bearer token for the URL's origin"
}

/// The passphrase of `--identity`.
package enum IdentityPassphrase: SecretPurpose {
    package static let option = "identity-passphrase"
    package static let subject = "the identity's passphrase"
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CommandSupport

/// The password of `--user`.
enum UserPassword: SecretPurpose {
    static let option = "password"
    static let subject = "the user's password"
}

/// The password of `--proxy-user`.
enum ProxyPassword: SecretPurpose {
    static let option = "proxy-password"
    static let subject = "the proxy user's password"
}

/// The token for the URL's origin.
enum BearerToken: SecretPurpose {
    static let option = "bearer"
    static let subject = "a bearer token for the URL's origin"
}

/// The passphrase of `--identity`.
enum IdentityPassphrase: SecretPurpose {
    static let option = "identity-passphrase"
    static let subject = "the identity's passphrase"
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The URIs of passwords (Username Token Profile 1.1 section 3.1) and of tokens (SOAP Message Security 1.1).
enum SecurityURI {
    private static let usernameProfile =
        "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-username-token-profile-1.0"

    static let passwordText = usernameProfile + "#PasswordText"
    static let passwordDigest = usernameProfile + "#PasswordDigest"
    static let encryptedKey = "http://docs.oasis-open.org/wss/oasis-wss-soap-message-security-1.1#EncryptedKey"
}

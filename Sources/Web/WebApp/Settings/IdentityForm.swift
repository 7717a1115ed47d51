// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Identities
import Secrets

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An identity that was sent with a form, in base64, and its passphrase.
enum IdentityForm {
    /// - Throws: ``WebError/malformedIdentity``, `IdentityError`.
    static func identity(_ form: WebForm) throws -> Identity {
        guard let text = form["identity"], let bytes = Data(base64Encoded: text), !bytes.isEmpty else {
            throw WebError.malformedIdentity
        }
        let passphrase = form["passphrase"].flatMap { $0.isEmpty ? nil : Secret($0) }
        return try Identity.read(bytes, passphrase: passphrase)
    }
}

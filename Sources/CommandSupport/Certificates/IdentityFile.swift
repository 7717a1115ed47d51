// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations
import CertificateTrust
package import Identities
package import Secrets

/// An identity in a file, whose passphrase is asked for where somebody is there to ask.
package enum IdentityFile {
    package static func read(_ path: String, passphrase: Secret? = nil, prompter: (any Prompter)?) async throws
        -> Identity
    {
        let bytes = try InputFile.read(path)
        let attempt = Result { try InputFile.naming(path) { try Identity.read(bytes, passphrase: passphrase) } }
        guard passphrase == nil, let prompter, case .failure(let error as NamedFileError) = attempt,
            let cause = error.error as? IdentityError, [.passphraseNeeded, .wrongPassphrase].contains(cause)
        else { return try attempt.get() }
        let answer = await prompter.ask("Passphrase of \(path.printable): ", isSecret: true)
        return try InputFile.naming(path) { try Identity.read(bytes, passphrase: answer.map { Secret($0) }) }
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations
import CertificateTrust
import Countersign
package import Identities
package import Secrets

/// An identity in a file, whose passphrase is asked for on the terminal where there is one.
package enum IdentityFile {
    package static func read(_ path: String, passphrase: Secret? = nil, prompter: (any Prompter)?) async throws
        -> Identity
    {
        let bytes = try bytes(of: path)
        let attempt = Result { try InputFile.naming(path) { try Identity.read(bytes, passphrase: passphrase) } }
        guard passphrase == nil, let prompter, case .failure(let error as NamedFileError) = attempt,
            let cause = error.error as? IdentityError, [.passphraseNeeded, .wrongPassphrase].contains(cause)
        else { return try attempt.get() }
        let answer = await prompter.ask("Passphrase of \(path.printable): ", isSecret: true)
        return try InputFile.naming(path) { try Identity.read(bytes, passphrase: answer.map { Secret($0) }) }
    }

    /// A chain in NAME.pem with the key that lies beside it in NAME-key.pem, as `ca issue` writes the two.
    private static func bytes(of path: String) throws(FileError) -> [UInt8] {
        let bytes = try InputFile.read(path)
        let key = path.hasSuffix(".pem") ? path.dropLast(4) + "-key.pem" : ""
        guard bytes.firstRange(of: Array("PRIVATE KEY-----".utf8)) == nil, FileState(path: String(key)) != nil else {
            return bytes
        }
        return bytes + [0x0A] + (try InputFile.read(String(key)))
    }
}

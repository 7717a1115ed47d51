// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Identities
package import X509

/// The files of `--anchor`.
package enum AnchorFiles {
    /// - Returns: The certificates of all files, in order.
    /// - Throws: ``FileError``, ``NamedFileError``.
    package static func read(_ paths: [String]) throws -> [Certificate] {
        try paths.flatMap { path in
            try InputFile.naming(path) { try CertificateFile.certificates(in: InputFile.read(path)) }
        }
    }
}

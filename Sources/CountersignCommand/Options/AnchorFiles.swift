// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Identities
import X509

/// The files of `--anchor`.
enum AnchorFiles {
    /// - Returns: The certificates of all files, in order.
    /// - Throws: ``FileError``, ``NamedFileError``.
    static func read(_ paths: [String]) throws -> [Certificate] {
        try paths.flatMap { path in
            try InputFile.naming(path) { try CertificateFile.certificates(in: InputFile.read(path)) }
        }
    }
}

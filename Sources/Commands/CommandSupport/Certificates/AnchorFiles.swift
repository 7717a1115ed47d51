// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import CertificateTrust
import Countersign
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

    /// - Returns: The certificates of all files as anchors, whatever their own signatures are made with, in order.
    /// - Throws: ``FileError``, ``NamedFileError``.
    package static func anchors(_ paths: [String]) throws -> [CertificateSummary] {
        try paths.flatMap { path in
            try InputFile.naming(path) { try CertificateFile.anchors(in: InputFile.read(path)) }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import CommandSupport
import Countersign
import Identities
package import PolicyFile

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Policy files that the user named, and the files that those name.
package enum PolicyInput {
    /// Reads a policy file; the paths in it begin at its own folder.
    package static func read(_ path: String) throws -> PolicyFile {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
        let read = { file in try InputFile.read(file.hasPrefix("/") ? file : folder + file) }
        return try PolicyFile(
            try InputFile.read(path), name: path, at: Date(), logLists: { try TransparencyLogList(json: read($0)) },
            anchors: { try CertificateFile.anchors(in: read($0)) })
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import AuthorityStore
import CommandSupport
import Identities
import X509

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension AuthorityStore {
    /// The one certificate that a person means: by its name, by the beginning of its serial number, or by a file that holds it.
    func certificate(meantBy text: String) async throws -> IssuedCertificate {
        if let bytes = try? InputFile.read(text), let first = try? CertificateFile.certificates(in: bytes).first {
            guard let found = try await certificate(Array(first.serialNumber.bytes)) else {
                throw AuthorityCommandError.notIssued(text)
            }
            return found
        }
        let all = try await certificates(called: text)
        // Of several with the same name, the one in use is meant.
        let current = all.filter { $0.state(at: Date()) == .valid }
        let candidates = current.isEmpty ? all : current
        guard let first = candidates.first else { throw AuthorityCommandError.notIssued(text) }
        guard candidates.count == 1 else {
            throw AuthorityCommandError.severalIssued(text, candidates.map { hex($0.serial) })
        }
        return first
    }
}

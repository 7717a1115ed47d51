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
        let all = try await certificates(meantBy: text)
        // Of several with the same name, the one in use is meant.
        let current = all.filter { $0.state(at: Date()) == .valid }
        let candidates = current.isEmpty ? all : current
        guard candidates.count == 1 else {
            throw AuthorityCommandError.severalIssued(text, candidates.map { hex($0.serial) })
        }
        return candidates[0]
    }

    /// Every certificate that a person means, at least one: that in a file, all with the name, the one whose serial number begins so, or
    /// else all that have the name among others.
    func certificates(meantBy text: String) async throws -> [IssuedCertificate] {
        if let bytes = try? InputFile.read(text), let first = try? CertificateFile.certificates(in: bytes).first {
            guard let found = try await certificate(Array(first.serialNumber.bytes)) else {
                throw AuthorityCommandError.notIssued(text)
            }
            return [found]
        }
        let called = try await certificates(called: text)
        guard called.count < 2 || called.allSatisfy({ $0.isNamed(text) }) else {
            throw AuthorityCommandError.severalIssued(text, called.map { hex($0.serial) })
        }
        let found = called.isEmpty ? try await certificates.filter { $0.isNamed(text) } : called
        guard !found.isEmpty else { throw AuthorityCommandError.notIssued(text) }
        return found
    }
}

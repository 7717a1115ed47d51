// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import AuthorityAccess
import AuthorityStore
import CertificateAuthority
import CommandSupport
import Identities
import X509

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Issues a certificate, records it, and writes it: the one way that issuing, signing and renewing go.
struct Issuance {
    let authority: OpenAuthority
    /// What a person calls the certificate.
    let name: String
    let profile: LeafProfile
    /// Where it is written; `nil` where it is printed.
    let files: IssuedFiles?
    /// The certificate in whose place it is issued.
    var replaced: IssuedCertificate?

    /// Issues a certificate for a new key.
    func issue(now: Date) async throws -> Identity {
        let identity = try authority.authority.issue(profile, now: now)
        try await record(identity.certificate, now)
        // The key first: a server that reads both in between has a key without a certificate, and goes on with the old ones.
        if let files {
            if let key = files.key { try write(identity.pemEncodedPrivateKey, to: key, mode: 0o600) }
            try write(identity.pemEncodedChain, to: files.chain, mode: 0o644)
        }
        return identity
    }

    /// Issues a certificate for a key that is elsewhere.
    func issue(for key: Certificate.PublicKey, now: Date) async throws -> [Certificate] {
        let chain = try authority.authority.issue(profile, for: key, now: now)
        try await record(chain[0], now)
        if let files { try write(CertificateFile.pem(chain), to: files.chain, mode: 0o644) }
        return chain
    }

    /// Nothing leaves before it is recorded.
    private func record(_ certificate: Certificate, _ now: Date) async throws {
        try await authority.store.record(
            certificate, name: name, purpose: profile.purpose == .server ? .server : .client, files: files,
            replacing: replaced?.serial, now: now)
    }

    private func write(_ bytes: [UInt8], to path: String, mode: mode_t) throws {
        let file = try OutputFile(path: path, newMode: mode, replaces: replaced != nil)
        try file.write(bytes)
        try file.commit()
    }

    /// Runs what tells a server that its certificate was replaced.
    static func runHook(_ hook: String?) throws {
        guard let hook else { return }
        let status = try Program.run(["/bin/sh", "-c", hook])
        guard status == 0 else { throw AuthorityCommandError.hookFailed(hook, status: status) }
    }
}

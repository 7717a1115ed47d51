// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import AuthorityAccess
import AuthorityStore
import CertificateAuthority
import CertificateTrust
import CommandSupport
import Foundation
import Identities
import X509

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

    /// Refuses to take the place of files: what is not written must not be issued.
    func refuseExistingFiles() throws(AuthorityCommandError) {
        for path in [files?.chain, files?.key].compactMap(\.self) where FileManager.default.fileExists(atPath: path) {
            throw .fileExists(path: path)
        }
    }

    /// Issues a certificate for a new key.
    func issue(now: Date) async throws -> Identity {
        let identity = try authority.authority.issue(profile, now: now)
        var outputs: [Output] = []
        // The key first: a server that reads both in between has a key without a certificate, and goes on with the old ones.
        if let key = files?.key { outputs.append(try output(identity.pemEncodedPrivateKey, to: key, mode: 0o600)) }
        if let files { outputs.append(try output(identity.pemEncodedChain, to: files.chain, mode: 0o644)) }
        try await record(identity.certificate, writing: outputs, now)
        return identity
    }

    /// Issues a certificate for a key that is elsewhere.
    func issue(for key: Certificate.PublicKey, now: Date) async throws -> [Certificate] {
        let chain = try authority.authority.issue(profile, for: key, now: now)
        let outputs = try files.map { [try output(CertificateFile.pem(chain), to: $0.chain, mode: 0o644)] } ?? []
        try await record(chain[0], writing: outputs, now)
        return chain
    }

    /// Revokes a certificate that did not reach the person whom it is for, and throws the reason.
    func withdraw(_ certificate: Certificate, because error: any Error) async throws -> Never {
        // The first error says more than a second one.
        _ = try? await authority.store.revoke(
            Array(certificate.serialNumber.bytes), reason: .cessationOfOperation, now: Date())
        throw error
    }

    private typealias Output = (file: OutputFile, bytes: [UInt8])

    /// Nothing leaves before it is recorded, and nothing is recorded before the disk has it: a file gets its name at the end.
    private func record(_ certificate: Certificate, writing outputs: [Output], _ now: Date) async throws {
        for output in outputs where !output.file.isDevice { try output.file.write(output.bytes) }
        try await authority.store.record(
            certificate, name: name, purpose: profile.purpose == .server ? .server : .client, files: files,
            replacing: replaced?.serial, now: now)
        do {
            for output in outputs where output.file.isDevice { try output.file.write(output.bytes) }
            for output in outputs { try output.file.commit() }
        } catch {
            try await withdraw(certificate, because: error)
        }
    }

    private func output(_ bytes: [UInt8], to path: String, mode: UInt32) throws -> Output {
        (try OutputFile(path: path, newMode: mode, replaces: replaced != nil), bytes)
    }

    /// Runs what tells a server that its certificate was replaced.
    static func runHook(_ hook: String?) throws {
        guard let hook else { return }
        let status = try Program.run(["/bin/sh", "-c", hook])
        guard status == 0 else { throw AuthorityCommandError.hookFailed(hook, status: status) }
    }
}

/// Another program, which has this one's terminal.
enum Program {
    /// Runs it until it ends.
    ///
    /// - Parameters:
    ///   - command: Its path, or its name to be looked for in PATH, and its arguments.
    ///   - environment: Variables that it has besides this program's.
    /// - Returns: Its exit status.
    /// - Throws: Where it cannot be started.
    static func run(_ command: [String], environment: [String: String] = [:]) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { _, new in new }
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import AuthorityAccess
import AuthorityStore
import CertificateAuthorities
import CertificateTrust
import CommandSupport
import Foundation
import Identities
import X509

/// Issues, records and writes a certificate, for the commands that issue, sign and renew.
struct Issuance {
    let authority: OpenAuthority
    /// The name under which the certificate is listed.
    let name: String
    let profile: LeafProfile
    /// The files to write; `nil` if the certificate is printed.
    let files: IssuedFiles?
    /// The certificate to replace.
    var replaced: IssuedCertificate?

    /// Throws an error if one of the files exists: a certificate that cannot be written must not be issued.
    func checkNoFileExists() throws(AuthorityCommandError) {
        for path in [files?.chain, files?.key].compactMap(\.self) where FileManager.default.fileExists(atPath: path) {
            throw .fileExists(path: path)
        }
    }

    /// Issues a certificate for a new key.
    func issue(now: Date) async throws -> Identity {
        let identity = try authority.authority.issue(profile, now: now)
        var outputs: [Output] = []
        // The key is written first: a server that reads both between the two writes finds a key without its
        // certificate, and continues with the old ones.
        if let key = files?.key { outputs.append(try output(identity.pemEncodedPrivateKey, to: key, mode: 0o600)) }
        if let files { outputs.append(try output(identity.pemEncodedChain, to: files.chain, mode: 0o644)) }
        try await record(identity.certificate, writing: outputs, now)
        return identity
    }

    /// Issues a certificate for a public key whose private key is not available here.
    func issue(for key: Certificate.PublicKey, now: Date) async throws -> [Certificate] {
        let chain = try authority.authority.issue(profile, for: key, now: now)
        let outputs = try files.map { [try output(CertificateFile.pem(chain), to: $0.chain, mode: 0o644)] } ?? []
        try await record(chain[0], writing: outputs, now)
        return chain
    }

    /// Revokes a certificate that could not be delivered, and throws the reason.
    func revokeUndelivered(_ certificate: Certificate, because error: any Error) async throws -> Never {
        // The first error is more informative than a second one.
        _ = try? await authority.store.revoke(
            Array(certificate.serialNumber.bytes), reason: .cessationOfOperation, now: Date())
        throw error
    }

    private typealias Output = (file: OutputFile, bytes: [UInt8])

    /// Records the certificate and writes the files.
    ///
    /// No file is published before the certificate is recorded, and it is not recorded before the disk has the data:
    /// the files are renamed into place last.
    private func record(_ certificate: Certificate, writing outputs: [Output], _ now: Date) async throws {
        for output in outputs where !output.file.isDevice { try output.file.write(output.bytes) }
        try await authority.store.record(
            certificate, name: name, purpose: profile.purpose == .server ? .server : .client, files: files,
            replacing: replaced?.serial, now: now)
        do {
            for output in outputs where output.file.isDevice { try output.file.write(output.bytes) }
            for output in outputs { try output.file.commit() }
        } catch {
            try await revokeUndelivered(certificate, because: error)
        }
    }

    private func output(_ bytes: [UInt8], to path: String, mode: UInt32) throws -> Output {
        (try OutputFile(path: path, newMode: mode, replaces: replaced != nil), bytes)
    }

    /// Runs the hook that informs a server of its new certificate.
    static func runHook(_ hook: String?) throws {
        guard let hook else { return }
        let status = try Program.run(["/bin/sh", "-c", hook])
        guard status == 0 else { throw AuthorityCommandError.hookFailed(hook, status: status) }
    }
}

/// Another program, which uses this one's terminal.
enum Program {
    /// Runs a program until it exits.
    ///
    /// - Parameters:
    ///   - command: The path of the program, or its name to be looked up in PATH, and its arguments.
    ///   - environment: Variables that are added to this program's environment.
    /// - Returns: The exit status.
    /// - Throws: An error if the program cannot be started.
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

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import PKCS11
import Secrets
import TestServer
import Testing
import X509

/// Tests of a token session, and of its loss.
///
/// Each test has a separate process, because a module reads its configuration from the environment when it starts.
@Suite(.enabled(if: SoftHSM.isPresent, "softhsm2 is missing: run make interop"))
struct TokenSessionTests {
    @Test("A lost session is reopened") func lost() async {
        await #expect(processExitsWith: .success) {
            try await SoftHSM.withToken { token in
                try token.logIn(Secret("1234"))
                let key = try token.makeKey(.p256, TokenURI("pkcs11:object=lost;id=%01"))
                #expect(try key.signs())
                try SoftHSM.stopModule()
                #expect(try key.signs())
                try token.removeKey(key.uri)
                #expect(throws: TokenError.keyNotFound(uri: "pkcs11:object=lost;id=%01")) {
                    try token.key(TokenURI("pkcs11:object=lost;id=%01"))
                }
            }
        }
    }

    @Test("A refused PIN is not used again") func refused() async {
        await #expect(processExitsWith: .success) {
            try await SoftHSM.withToken { token in
                #expect(throws: TokenError.pinIncorrect) { try token.logIn(Secret("4321")) }
                for _ in 1...20 {
                    #expect(throws: TokenError.pinIncorrect) { try token.key(TokenURI("pkcs11:object=a")) }
                }
                #expect(throws: TokenError.pinNeeded) { try token.logIn(nil) }
                #expect(throws: TokenError.pinNeeded) { try token.logIn(Secret("")) }
                try token.logIn(Secret("1234"))
                #expect(throws: TokenError.keyNotFound(uri: "pkcs11:object=a")) {
                    try token.key(TokenURI("pkcs11:object=a"))
                }
            }
        }
    }

    @Test("Tasks sign concurrently") func concurrent() async {
        await #expect(processExitsWith: .success) {
            try await SoftHSM.withToken { token in
                try token.logIn(Secret("1234"))
                let key = try token.makeKey(.p256, TokenURI("pkcs11:object=shared;id=%02"))
                try await withThrowingTaskGroup(of: Bool.self) { group in
                    for _ in 1...32 { group.addTask { try key.signs() } }
                    for try await valid in group { #expect(valid) }
                }
            }
        }
    }

    @Test("A key in a token cannot be exported, and its description names its URI") func export() async {
        await #expect(processExitsWith: .success) {
            try await SoftHSM.withToken { token in
                try token.logIn(Secret("1234"))
                let key = try token.makeKey(.rsa2048, TokenURI("pkcs11:token=home;object=kept;id=%03"))
                #expect(throws: TokenError.notExportable) { try Certificate.PrivateKey(key).serializeAsPEM() }
                #expect(throws: TokenError.unsupportedSignature("\(TokenKey.algorithm)")) { try key.signs() }
                #expect("\(Certificate.PrivateKey(key))" == "TokenKey(pkcs11:token=home;object=kept;id=%03)")
                #expect(throws: TokenError.keyExists(uri: "pkcs11:token=home;object=kept;id=%04")) {
                    try token.makeKey(.p256, TokenURI("pkcs11:token=home;object=kept;id=%04"))
                }
            }
        }
    }
}

extension SoftHSM {
    /// Initializes a token with the PIN 1234, and removes it afterwards.
    fileprivate static func withToken(_ body: (Token) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "token-\(UUID().uuidString)")
        let configuration = folder.appending(path: "softhsm2.conf")
        try FileManager.default.createDirectory(at: folder.appending(path: "tokens"), withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try "directories.tokendir = \(folder.path)/tokens\n".write(to: configuration, atomically: true, encoding: .utf8)
        setenv("SOFTHSM2_CONF", configuration.path, 1)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
            "softhsm2-util", "--init-token", "--free", "--label", "home", "--pin", "1234", "--so-pin", "5678",
        ]
        process.standardOutput = FileHandle.nullDevice
        #expect(try await process.end() == 0)
        try await body(Token(TokenURI("pkcs11:token=home"), module: #require(module), access: .generating))
    }

    /// Stops the module, as another part of the process or a reset of the token could.
    fileprivate static func stopModule() throws {
        typealias Finalize = @convention(c) (UnsafeMutableRawPointer?) -> UInt
        let path = try #require(module)
        let library = dlopen(path, RTLD_NOW)
        let finalize = unsafeBitCast(try #require(dlsym(library, "C_Finalize")), to: Finalize.self)
        #expect(finalize(nil) == 0)
    }
}

extension TokenKey {
    fileprivate static let algorithm = Certificate.SignatureAlgorithm.ecdsaWithSHA256

    /// Signs data, and verifies the signature.
    fileprivate func signs() throws -> Bool {
        let bytes = Array("abc".utf8)
        let signature = try signSynchronously(bytes: bytes, signatureAlgorithm: Self.algorithm)
        return publicKey.isValidSignature(
            signature.rawRepresentation, for: bytes, signatureAlgorithm: Self.algorithm)
    }
}

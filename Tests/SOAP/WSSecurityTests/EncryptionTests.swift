// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateAuthorities
import Foundation
import Identities
import Secrets
import Testing
import WSSecurity
import X509
import XMLDocuments

@Suite struct EncryptionTests {
    private static let recipient = Result { try Messages.identity(.rsa2048) }

    private static func policy() throws -> SecurityPolicy {
        var policy = Messages.policy
        policy.decryptionKeys = [.privateKey(try recipient.get().privateKey)]
        return policy
    }

    @Test(
        "A signed message is decrypted and verified with each form of recipient identifier",
        arguments: CertificateReference.allCases
    )
    func signedThenEncrypted(reference: CertificateReference) async throws {
        var security = MessageSecurity.x509(try Messages.signer.get())
        security.usernameToken = UsernameToken(user: "ann", password: Secret("password"), form: .text)
        security.signature?.parts.append(.usernameToken)
        security.encryption = MessageEncryption(for: try Self.recipient.get().certificate)
        security.encryption?.reference = reference
        security.encryption?.parts = [.body, .signature, .usernameToken]
        let sent = try await security.secure(Messages.envelope(), at: Messages.time)
        for word in ["Ann &amp; Bob", "password", "SignatureValue"] { #expect(!sent.text.contains(word)) }
        var policy = try Self.policy()
        policy.signedParts.append(.usernameToken)
        var replays = ReplayCache()
        let verifier = SecurityVerifier(policy: policy)
        let message = try verifier.verify(sent, at: Messages.time, replays: &replays)
        #expect(message.body?.text.contains("<b:to") == true)
        #expect(message.body?.text.contains("Ann &amp; Bob") == true)
        policy.decryptionKeys = []
        #expect(throws: WSSecurityError.encryption(.noKey)) {
            try SecurityVerifier(policy: policy).verify(sent, at: Messages.time, replays: &replays)
        }
    }

    @Test("Encrypted but unsigned content is refused") func unsigned() async throws {
        var security = MessageSecurity()
        security.encryption = MessageEncryption(for: try Self.recipient.get().certificate)
        let sent = try await security.secure(Messages.envelope(), at: Messages.time)
        let verifier = SecurityVerifier(policy: try Self.policy())
        var replays = ReplayCache()
        #expect(throws: WSSecurityError.noSignature) {
            try verifier.verify(sent, at: Messages.time, replays: &replays)
        }
    }

    @Test("A message that was encrypted before it was signed verifies and decrypts") func encryptedThenSigned()
        async throws
    {
        let body = [XMLName("Envelope", in: Messages.soap11), XMLName("Body", in: Messages.soap11)]
        let encrypted = try XMLEncryptor(for: .certificate(Self.recipient.get().certificate)).encrypt(
            Messages.envelope(), at: body)
        let sent = try await MessageSecurity.x509(Messages.signer.get()).secure(encrypted, at: Messages.time)
        var replays = ReplayCache()
        let verifier = SecurityVerifier(policy: try Self.policy())
        let message = try verifier.verify(sent, at: Messages.time, replays: &replays)
        #expect(message.body?.text.contains("Ann &amp; Bob") == true)
        #expect(message.body?.text.contains("Cipher") == false)
    }

    @Test("An unsigned namespace declaration does not affect decrypted content") func unsignedNamespace() async throws {
        let body = [XMLName("Envelope", in: Messages.soap11), XMLName("Body", in: Messages.soap11)]
        let text = "<s:Envelope xmlns:s=\"\(Messages.soap11)\"><s:Body><order/></s:Body></s:Envelope>"
        let encrypted = try XMLEncryptor(for: .certificate(Self.recipient.get().certificate)).encrypt(
            Array(text.utf8), at: body)
        let sent = try await MessageSecurity.x509(Messages.signer.get()).secure(encrypted, at: Messages.time)
        let changed = sent.text.replacing("<s:Envelope ", with: "<s:Envelope xmlns=\"urn:evil\" ")
        var replays = ReplayCache()
        let message = try SecurityVerifier(policy: Self.policy()).verify(
            Array(changed.utf8), at: Messages.time, replays: &replays)
        #expect(message.body?.text.contains("<order") == true)
        #expect(message.body?.text.contains("urn:evil") == false)
    }

    @Test("Encrypting a missing part is an error") func missing() async throws {
        var security = MessageSecurity()
        security.encryption = MessageEncryption(for: try Self.recipient.get().certificate)
        security.encryption?.parts = [.usernameToken]
        await #expect(throws: WSSecurityError.missingPart(.usernameToken)) {
            try await security.secure(Messages.envelope(), at: Messages.time)
        }
        security.encryption = MessageEncryption(for: try Messages.identity(.p256).certificate)
        await #expect(throws: WSSecurityError.encryption(.unusableKey)) {
            try await security.secure(Messages.envelope(), at: Messages.time)
        }
    }
}

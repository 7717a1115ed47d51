// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import Identities
import Secrets
import Testing
import WSSecurity
import X509
import XMLDocuments

@Suite struct OutgoingTests {
    @Test("The complete Body and the timestamp are signed", arguments: [Messages.soap11, Messages.soap12])
    func signed(namespace: String) async throws {
        let sent = try await MessageSecurity.x509(Messages.signer.get()).secure(
            Messages.envelope(namespace), at: Messages.time)
        let verified = try SignatureVerifier(trusting: Messages.trustingAuthority()).verify(sent)
        #expect(
            verified.contents.map { $0.path.map(\.local) } == [
                ["Envelope", "Body"], ["Envelope", "Header", "Security", "Timestamp"],
            ])
        let body = try #require(verified.contents.first).bytes.text
        #expect(body.contains("xmlns:xsd="))
        #expect(try verified.certificate == Messages.signer.get().certificate)
    }

    @Test(
        "Each form of certificate reference verifies if the certificate is known",
        arguments: CertificateReference.allCases)
    func references(reference: CertificateReference) async throws {
        var security = MessageSecurity.x509(try Messages.signer.get())
        security.signature?.reference = reference
        let sent = try await security.secure(Messages.envelope(), at: Messages.time)
        var signer = try Messages.trustingAuthority()
        let hasToken = reference == .token || reference == .path
        #expect(try KeyHints(document: sent).certificates.isEmpty != hasToken)
        if case .certificate(var certified) = signer {
            certified.known = [try Messages.signer.get().certificate]
            signer = .certificate(certified)
        }
        _ = try SignatureVerifier(trusting: signer).verify(sent)
    }
}

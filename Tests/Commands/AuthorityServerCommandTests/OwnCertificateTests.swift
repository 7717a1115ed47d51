// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import AuthorityAccess
import AuthorityStore
import CertificateAuthorities
import Foundation
import Identities
import Synchronization
import Testing
import X509

@testable import AuthorityServerCommand

@Suite struct OwnCertificateTests {
    @Test("The server's certificate is renewed after two thirds of its validity, and each is recorded")
    func renewal() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "own-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let start = Date(timeIntervalSince1970: 1_790_000_000)
        let authority = try CertificateAuthority(name: "Root", pathLength: 0, now: start)
        let settings = try AuthoritySettings(
            name: "Root", chain: [authority.certificate], issuingKey: .file("key.pem"), rootKey: .file("key.pem"),
            publication: PublicationPoints(), leafDays: 30)
        let store = try await AuthorityStore.create(
            at: folder.appending(path: "state.sqlite").path, settings: settings, now: start)
        let open = OpenAuthority(store: store, settings: settings, authority: authority)
        let days = Mutex(0.0)
        let certificate = try await ServerCertificate(of: "ca.test", issuedBy: open) {
            start + days.withLock { $0 } * 86_400
        }
        let first = try await certificate.currentIdentity().certificate
        days.withLock { $0 = 19 }
        #expect(try await certificate.currentIdentity().certificate == first)
        days.withLock { $0 = 21 }
        let second = try await certificate.currentIdentity().certificate
        #expect(second != first)
        #expect(second.notValidAfter == start + 51 * 86_400)
        #expect(try await certificate.currentIdentity().certificate == second)
        #expect(
            try await store.certificates.map(\.certificate).sorted { $0.notValidAfter < $1.notValidAfter } == [
                first, second,
            ])
    }
}

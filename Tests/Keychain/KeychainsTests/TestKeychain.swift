// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Challenges
import Secrets
import Testing
import TrustRecipes
import X509
@testable import Keychains
import EssentialFoundation

/// A keychain in a new folder, which is removed at the end.
final class TestKeychain: Sendable {
    let folder: String
    var path: String { folder + "/keychain.sqlite" }
    var places: Keychain.Places {
        Keychain.Places(deviceSecret: folder + "/state/device", rememberedStates: folder + "/state")
    }

    static let passphrase = Secret("correct horse battery staple")
    /// A scrypt cost far below that of real keychains.
    static let cost = Scrypt(rounds: 16)

    init() throws {
        folder = FileManager.default.temporaryDirectory.path + "/keychain-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    func create() async throws -> UnlockedKeychain {
        try await Keychain.create(
            at: path, passphrase: Self.passphrase, places: places, cost: try #require(Self.cost))
    }

    /// Creates a self-signed certificate.
    static func certificate() throws -> Certificate { try TestAuthority(root: .authority("root")).certificate }

    func open() async throws -> Keychain { try await Keychain.open(at: path, places: places) }
}

extension ProtectionSpace {
    static func example(_ host: String = "intranet.example", realm: String? = "staff") throws -> ProtectionSpace {
        ProtectionSpace(host: try HostName(host), port: 443, scheme: "https", realm: realm, method: .basic)
    }
}

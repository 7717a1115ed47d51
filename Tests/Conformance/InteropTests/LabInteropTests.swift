// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import ChallengeLabTesting
import Foundation
import TestServer
import Testing

/// Tests that OpenSSL, used by curl, agrees with the lab's catalogue about each faulty certificate.
@Suite(.interop) struct LabInteropTests {
    /// The servers for which curl 7.88 and OpenSSL 3.0 differ from the standards.
    private static let differences: [LabServer.Kind: String] = [
        .noAlternativeName: "a common name still counts"
    ]
    /// The servers whose staple, or its absence, curl checks on request; it does not look at the extension of RFC 7633.
    private static let stapling: Set<LabServer.Kind> = [
        .mustStaple, .stapled, .stapleOutdated, .stapleOfOtherCertificate, .stapleRevoked,
    ]

    @Test("curl accepts and refuses servers as in the catalogue", .lab) func certificates() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let lab = try #require(Lab.current)
        try lab.save(to: folder)
        let answerable: Set<LabServer.Need> = [.revocationLists]
        for server in lab.servers
        where [.good, .certificates, .revocation, .tls].contains(server.group)
            && answerable.isSuperset(of: server.needs)
        {
            // curl does not detect that a body without a length is truncated.
            guard server.kind != .cutBody else { continue }
            let isDelivered = try await Self.get(server, folder)
            let isRight = isDelivered == (server.expectation == .delivered)
            #expect(isRight == (Self.differences[server.kind] == nil), "\(server.name)")
        }
    }

    private static func get(_ server: LabServer, _ folder: URL) async throws -> Bool {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
            "curl", "--silent", "--fail", "--max-time", "10", "--noproxy", "*", "--cacert", folder.path + "/ca.pem",
            "--connect-to", "::127.0.0.1:",
        ]
        if server.needs.contains(.revocationLists) { process.arguments? += ["--crlfile", folder.path + "/crl.pem"] }
        if stapling.contains(server.kind) { process.arguments?.append("--cert-status") }
        process.arguments?.append(server.url)
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        return try await process.end() == 0
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import SwiftASN1
import TrustRecipes
import X509

/// The files of a root, an intermediate and a leaf for `a.test`, which are valid for a day around 2026-06-01.
struct ChainFiles {
    let folder: Folder
    let root: TestAuthority
    let intermediate: TestAuthority
    let leaf: TestAuthority
    let chain: String
    let anchors: String

    /// Creates the certificates, and writes the files.
    ///
    /// - Parameters:
    ///   - commonName: The common name of the leaf.
    ///   - others: Returns further certificates of the chain file, between the leaf and the intermediate.
    ///   - change: Changes the leaf that the intermediate issues.
    /// - Throws: An error of the closures or of the file system.
    init(
        commonName: String = "server", others: (TestAuthority, TestAuthority) throws -> [Certificate] = { _, _ in [] },
        change: (TestAuthority, Recipe) throws -> Recipe = { $1 }
    ) throws {
        folder = try Folder()
        root = try TestAuthority(root: .authority("Test Root"))
        intermediate = try root.issue(
            .authority("Test Intermediate").with { $0.serialNumber = [0x40, 7] })
        leaf = try intermediate.issue(change(intermediate, Recipe().with { $0.commonName = commonName }))
        let presented = [leaf.certificate] + (try others(root, intermediate)) + [intermediate.certificate]
        chain = try folder.write(Self.pem(presented), to: "chain.pem")
        anchors = try folder.write(Self.pem([root.certificate]), to: "anchors.pem")
    }

    private static func pem(_ certificates: [Certificate]) throws -> String {
        try certificates.map { try $0.serializeAsPEM().pemString + "\n" }.joined()
    }

    /// Runs `trust evaluate` for `a.test` with the time 2026-06-01.
    func evaluate(_ arguments: [String] = [], host: String = "a.test", at time: String = "2026-06-01") async throws
        -> CommandRun
    {
        try await CommandRun(
            ["trust", "evaluate", "--host", host, "--chain", chain, "--anchor", anchors, "--at", time] + arguments,
            home: folder)
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import SwiftASN1
import TrustRecipes
import X509

/// A root, an intermediate and a leaf for `a.test`, good for a day around 2026-06-01, as files.
struct ChainFiles {
    let folder: Folder
    let root: TestAuthority
    let intermediate: TestAuthority
    let leaf: TestAuthority
    let chain: String
    let anchors: String

    /// Writes the files.
    ///
    /// The others stand between leaf and intermediate in the chain's file. The change is made to what the intermediate issues.
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

    /// Runs `trust evaluate` for `a.test` at 2026-06-01.
    func evaluate(_ arguments: [String] = [], host: String = "a.test", at time: String = "2026-06-01") async throws
        -> CommandRun
    {
        try await CommandRun(
            ["trust", "evaluate", "--host", host, "--chain", chain, "--anchor", anchors, "--at", time] + arguments,
            home: folder)
    }
}

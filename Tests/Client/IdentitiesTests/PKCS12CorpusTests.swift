// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Identities
import Testing

@Suite struct PKCS12CorpusTests {
    /// The manifest determines for each file the expected contents or the expected error.
    @Test("Each file of the corpus is read exactly or refused with the expected reason", .timeLimit(.minutes(2)))
    func corpus() async throws {
        guard let corpus = try PKCS12Corpus.find() else { return }
        let results = await withTaskGroup { group in
            for file in corpus.files { group.addTask { (file.file, corpus.read(file)) } }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        var score = Score()
        for file in corpus.files { score.count(file, try #require(results[file.file])) }
        print(score)
        #expect(score.exact + score.diverging.count + score.rejected == corpus.files.count)
    }

    struct Score: CustomStringConvertible {
        var exact = 0
        var rejected = 0
        var diverging: [String] = []
        var tiers: [String: (exact: Int, of: Int)] = [:]

        static let divergences = [
            // The manifest is wrong: the decrypted file has only Java's attribute and no friendly name.
            "ossl-jdktrust.p12": [#"friendly name is nil, not Optional("trusted leaf")"#],
            // swift-certificates does not support keys on this curve.
            "ossl-ed448.p12": ["unsupported Ed448"],
        ]

        mutating func count(_ file: PKCS12Corpus.File, _ result: Result<PKCS12, IdentityError>) {
            let expected = file.expected
            switch (expected.result, result) {
            case ("accept", _):
                let differences = expected.differences(from: result)
                // An unlisted divergence fails, and so does a listed one that no longer occurs.
                #expect(differences == Self.divergences[file.file, default: []], "\(file.file)")
                guard differences.isEmpty else {
                    diverging.append("\(file.file): \(differences.joined(separator: ", "))")
                    break
                }
                exact += 1
                tiers[expected.tier, default: (0, 0)].exact += 1
            case (_, .success):
                Issue.record("\(file.file) was accepted, in spite of \(expected.reason ?? "")")
            case (_, .failure(let error)):
                #expect(expected.isSatisfied(by: error), "\(file.file): \(error) for \(expected.reason ?? "")")
                rejected += 1
            }
            if expected.result == "accept" { tiers[expected.tier, default: (0, 0)].of += 1 }
        }

        var description: String {
            let tiers = tiers.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.exact) of \($0.value.of) exact" }
            let lines =
                ["PKCS#12 corpus: \(exact) exact, \(rejected) rejected"] + tiers
                + diverging.map { "other than the manifest: \($0)" }
            return lines.joined(separator: "\n  ")
        }
    }
}

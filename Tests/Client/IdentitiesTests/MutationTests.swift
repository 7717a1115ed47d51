// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Secrets
import SwiftASN1
import Testing
import TrustRecipes
@testable import Identities
import EssentialFoundation

@Suite struct Mutations {
    /// Every mutation gives a value or a typed error; `FUZZ_ROUNDS` increases the number of mutations.
    @Test(
        "Random changes of a file do not trap the parser",
        arguments: [
            TestFile("PKCS#12", Fixture.pkcs12), TestFile("unencrypted PKCS#12", Fixture.pkcs12Plain),
            TestFile("PKCS#12 without MAC", Fixture.pkcs12WithoutMAC),
            TestFile("PEM, encrypted key", Fixture.certificate + "\n" + Fixture.encrypted[2].pem),
            TestFile("PEM, traditional encryption", Fixture.certificate + "\n" + Fixture.traditional[3].pem),
            TestFile("PEM, SEC 1", Fixture.sec1 + "\n" + Fixture.certificate),
            TestFile("certificate", der(Fixture.certificate)), TestFile("PKCS#1", der(Fixture.pkcs1)),
            TestFile("PKCS#12, RC2 and 3DES", Fixture.pkcs12Legacy), TestFile("PKCS#7", der(Fixture.pkcs7)),
            TestFile("PBES1 in DER", der(Fixture.legacy[0].pem)), TestFile("RC2 in DER", der(Fixture.legacy[14].pem)),
        ])
    func mutations(file: TestFile) {
        let rounds = ProcessInfo.processInfo.environment["FUZZ_ROUNDS"].flatMap(Int.init) ?? 600
        var random = SplitMix64(seed: UInt64(file.bytes.count))
        let passphrase = Secret("swordfish")
        for _ in 0..<rounds {
            let mutant = random.mutation(of: file.bytes)
            _ = try? PKCS12(mutant, passphrase: passphrase, budget: WorkBudget(iterations: 1000))
            _ = try? CertificateFile.certificates(in: mutant)
            _ = try? IdentityContents(of: mutant)
            guard !isPKCS12(mutant) else { continue }
            _ = try? Identity.read(mutant, passphrase: passphrase)
        }
    }

    /// The mutations change the contents of files from eight writers, after the integrity check.
    @Test("Random changes inside the corpus's files do not trap the parser") func corpusMutations() throws {
        guard let corpus = try PKCS12Corpus.find() else { return }
        let rounds = ProcessInfo.processInfo.environment["FUZZ_ROUNDS"].flatMap(Int.init) ?? 600
        for file in corpus.files {
            let bytes = corpus.bytes(of: file)
            guard bytes.count < 10_000, let content = try? content(of: bytes) else { continue }
            var random = SplitMix64(seed: UInt64(bytes.count))
            for _ in 0..<rounds / 60 {
                _ = try? PKCS12(
                    random.mutation(of: bytes), passphrase: file.passphrase, budget: WorkBudget(iterations: 100))
                var reader = SafeReader(
                    passphrase: file.passphrase, isAuthenticated: true, budget: WorkBudget(iterations: 3000)
                )
                try? reader.read(authenticatedSafe: random.mutation(of: content))
            }
        }
    }

    private func content(of file: [UInt8]) throws -> [UInt8] {
        var fields = try Fields(ber: file, of: .pkcs12)
        _ = try fields.integer()
        return try ContentInfo(try fields.next(), of: .pkcs12).content.octets(.octetString, .pkcs12)
    }

    private func isPKCS12(_ bytes: [UInt8]) -> Bool {
        guard case .pkcs12? = try? EncodedItem.items(in: bytes).first else { return false }
        return true
    }
}

extension SplitMix64 {
    /// Makes one to four changes: replaces a byte, often by one that is significant in BER, or removes or repeats a run.
    fileprivate mutating func mutation(of file: [UInt8]) -> [UInt8] {
        var file = file
        let significantBytes: [UInt8] = [
            0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x1f, 0x24, 0x30, 0x31, 0x7f, 0x80, 0x84, 0xa0, 0xff,
        ]
        for _ in 0...Int.random(in: 0...3, using: &self) {
            guard !file.isEmpty else { break }
            let start = Int.random(in: 0..<file.count, using: &self)
            let end = min(file.count, start + Int.random(in: 1...16, using: &self))
            switch Int.random(in: 0...7, using: &self) {
            case 0: file.removeSubrange(start..<end)
            case 1: file.insert(contentsOf: file[start..<end], at: start)
            case 2: file.removeSubrange(end...)
            case 3: file[start] ^= 1 << UInt8.random(in: 0...7, using: &self)
            case 4: file[start] = UInt8.random(in: .min ... .max, using: &self)
            default: file[start] = significantBytes.randomElement(using: &self) ?? 0
            }
        }
        return file
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Crypto
import FuzzDriver
import TrustRecipes
import X509

/// Fuzzes revocation lists; the input has a byte for the form, and a list in DER, in PEM, or for the issuer to sign.
@main
enum ListFuzz {
    /// The form of the bytes after the first.
    enum Form: UInt8 {
        case der, pem, toBeSigned, alsoToBeSigned

        init(_ choice: UInt8) { self = Form(rawValue: choice & 3) ?? .der }
    }

    static func main() throws {
        let status = try FuzzDriver.run(seeds: { _ in try ListSeeds.all(scene) }) { bytes, count in
            ListFuzz.test(FuzzDriver.input(bytes, count))
            return 0
        }
        guard status == 0 else { fatalError("libFuzzer ended with \(status)") }
    }

    private static let scene = RevocationScene.shared

    private static func test(_ input: [UInt8]) {
        // Reading a file never fails; a trap is the only defect that this finds.
        _ = EvidenceFile(Array(input.dropFirst()))
        guard let choice = input.first, let list = list(Form(choice), Array(input.dropFirst())) else { return }
        precondition((try? CertificateRevocationList(derEncoded: list.derBytes)) == list, "a list has changed")
        let status = RevocationCheck.status(
            of: scene.server.certificate, issuedBy: scene.root.certificate, evidence: RevocationEvidence(lists: [list]),
            at: Instant.now)
        switch status {
        case .unusable, .absent: return
        case .good(let until): precondition(until >= Instant.now, "good although outdated")
        case .revoked:
            let serialNumber = Array(scene.server.certificate.serialNumber.bytes)
            precondition(list.derBytes.contains(serialNumber), "revoked although not in the list")
        }
        let isSigned = SignedParts(list.derBytes)?.isSigned(by: scene.root.key.publicKey) ?? false
        precondition(isSigned, "\(status) by a list that its issuer did not sign")
    }

    private static func list(_ form: Form, _ bytes: [UInt8]) -> CertificateRevocationList? {
        switch form {
        case .der: try? CertificateRevocationList(derEncoded: bytes)
        case .pem: try? CertificateRevocationList(pemEncoded: String(decoding: bytes, as: UTF8.self))
        case .toBeSigned, .alsoToBeSigned: try? CertificateRevocationList(derEncoded: scene.root.sign(bytes))
        }
    }
}

/// Changes elements instead of bytes in every other input, and corrects the lengths.
@_cdecl("LLVMFuzzerCustomMutator")
public func mutate(_ data: UnsafeMutablePointer<UInt8>, _ count: Int, _ limit: Int, _ seed: UInt32) -> Int {
    FuzzDriver.mutate(data, count, limit: limit) { input in
        guard let choice = input.first, ListFuzz.Form(choice) != .pem, seed & 1 == 0 else {
            return FuzzDriver.mutated(input, limit: limit)
        }
        var generator = SplitMix64(seed: UInt64(seed))
        var tree = DERTree(Array(input.dropFirst()))
        tree.mutate(limit: 4096, using: &generator)
        return [choice] + tree.bytes
    }
}

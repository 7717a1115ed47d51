// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Crypto
import FuzzDriver
import TrustRecipes
import X509

/// Fuzzes OCSP responses; the input has a byte for the form, and a response or a part of it to be signed.
@main
enum ResponseFuzz {
    /// The form of the bytes after the first.
    enum Form: UInt8 {
        case complete
        /// ResponseData for the issuer to sign.
        case fromIssuer
        /// ResponseData for the responder to sign.
        case fromResponder
        /// A responder's certificate for the issuer to sign.
        case responder

        init(_ choice: UInt8) { self = Form(rawValue: choice & 3) ?? .complete }
    }

    static let nonce: [UInt8] = [1, 2, 3, 4]
    /// The bit of the first byte that adds a nonce to the request.
    static let nonceBit: UInt8 = 4

    static func main() throws {
        let status = try FuzzDriver.run(seeds: { _ in try ResponseSeeds.all(scene) }) { bytes, count in
            ResponseFuzz.test(FuzzDriver.input(bytes, count))
            return 0
        }
        guard status == 0 else { fatalError("libFuzzer ended with \(status)") }
    }

    private static let scene = RevocationScene.shared

    private static func test(_ input: [UInt8]) {
        guard let choice = input.first, let bytes = try? response(Form(choice), Array(input.dropFirst())),
            let response = try? OCSPResponse(derEncoded: bytes)
        else { return }
        precondition(response.derBytes == bytes, "a response has changed")
        let evidence = RevocationEvidence(
            responses: [.init(response, nonce: choice & nonceBit == 0 ? nil : nonce)])
        let status = RevocationCheck.status(
            of: scene.server.certificate, issuedBy: scene.root.certificate, evidence: evidence, at: Instant.now)
        switch status {
        case .unusable, .absent: return
        case .good(let until): precondition(until >= Instant.now, "good although outdated")
        case .revoked: break
        }
        let serialNumber = Encoding.integer(Array(scene.server.certificate.serialNumber.bytes))
        precondition(bytes.contains(serialNumber), "\(status) by a response that is not about the certificate")
        let signers = [scene.root, scene.responder].map(\.key.publicKey)
        let isSigned = SignedParts(response: bytes).map { signers.contains(where: $0.isSigned) } ?? false
        precondition(isSigned, "\(status) by a response without an authorized signer")
    }

    private static func response(_ form: Form, _ bytes: [UInt8]) throws -> [UInt8] {
        switch form {
        case .complete: return bytes
        case .fromIssuer: return ResponseRecipe.complete(try scene.root.sign(bytes))
        case .fromResponder:
            return ResponseRecipe.complete(
                try scene.responder.sign(bytes, with: certificates(scene.responder.certificate.bytes())))
        case .responder:
            let data = SignedParts(response: answer)?.signedBytes ?? []
            return ResponseRecipe.complete(try scene.responder.sign(data, with: certificates(scene.root.sign(bytes))))
        }
    }

    private static let answer = {
        let recipe = ResponseRecipe().with { $0.responder = .key }
        let response = try? recipe.encoded(for: scene.server.certificate, issuer: scene.root, by: scene.responder)
        guard let response else { fatalError("no response can be created") }
        return response
    }()

    private static func certificates(_ certificate: [UInt8]) -> [UInt8] {
        Encoding.tagged(0, Encoding.sequence(certificate))
    }
}

/// Changes elements instead of bytes in every other input, and corrects the lengths.
@_cdecl("LLVMFuzzerCustomMutator")
public func mutate(_ data: UnsafeMutablePointer<UInt8>, _ count: Int, _ limit: Int, _ seed: UInt32) -> Int {
    FuzzDriver.mutate(data, count, limit: limit) { input in
        guard let choice = input.first, seed & 1 == 0 else { return FuzzDriver.mutated(input, limit: limit) }
        var generator = SplitMix64(seed: UInt64(seed))
        var tree = DERTree(Array(input.dropFirst()))
        tree.mutate(limit: 4096, using: &generator)
        return [choice] + tree.bytes
    }
}

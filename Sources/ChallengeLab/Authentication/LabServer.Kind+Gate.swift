// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import X509

extension LabServer.Kind {
    /// Who stands in the way; `nil` where nobody does.
    ///
    /// - Parameter certificate: The server's own.
    /// - Returns: A gate, which has one verifier for each connection.
    /// - Throws: What swift-certificates and swift-crypto throw.
    func gate(certificate: Certificate) throws -> (any LabGate)? {
        let realm = isProxy ? "Countersign lab proxy" : "Countersign lab"
        let accepted = LabServer.Credentials.lab
        return switch self {
        case .basic, .proxyBasic: BasicGate(realm: realm, accepted: accepted)
        case .wrongPasswordForever: BasicGate(realm: realm, accepted: nil)
        case .digestMD5: DigestGate(realm: realm, accepted: accepted, hash: .md5)
        case .digestSHA256: DigestGate(realm: realm, accepted: accepted, hash: .sha256, information: .proof)
        case .proxyDigest: DigestGate(realm: realm, accepted: accepted, hash: .sha256)
        case .digestSHA512Half:
            DigestGate(realm: realm, accepted: accepted, hash: .sha512Half, information: .proof)
        case .digestAuthInt:
            DigestGate(
                realm: realm, accepted: accepted, hash: .sha256, quality: "auth-int", information: .proof)
        case .digestNextNonce:
            DigestGate(realm: realm, accepted: accepted, hash: .sha256, information: .proofAndNextNonce)
        case .scramSHA256: try SCRAMGate(realm: realm, accepted: accepted)
        case .bearer: BearerGate(realm: realm, accepted: LabServer.labToken)
        case .ntlm: NTLMGate(try NTLMTerms(boundTo: certificate))
        case .proxyNTLM: NTLMGate(try NTLMTerms())
        default: nil
        }
    }
}

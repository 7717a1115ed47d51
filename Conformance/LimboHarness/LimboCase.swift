// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A case of x509-limbo (https://x509-limbo.com), as in its schema.
struct LimboCase: Decodable, Sendable {
    /// Who is validated: a server by a client, or the other way round.
    enum Kind: String, Decodable {
        case client = "CLIENT"
        case server = "SERVER"
    }

    struct Peer: Decodable {
        enum Kind: String, Decodable {
            case mailbox = "RFC822"
            case name = "DNS"
            case address = "IP"
        }

        let kind: Kind
        let value: String
    }

    enum Result: String, Codable {
        case success = "SUCCESS"
        case failure = "FAILURE"
    }

    let id: String
    let validationKind: Kind
    let trustedCerts: [String]
    let untrustedIntermediates: [String]
    let peerCertificate: String
    let validationTime: Date?
    let signatureAlgorithms: [String]
    let keyUsage: [String]
    let extendedKeyUsage: [String]
    let expectedResult: Result
    let expectedPeerName: Peer?
    let expectedPeerNames: [Peer]
    let maxChainDepth: Int?
    /// `nil` where there are none, which the schema allows.
    let crls: [String]?

    /// Inputs of PKITS; `nil` in suites that have none.
    let initialPolicySet: [String]?
    let initialExplicitPolicy: Bool?
    let initialPolicyMappingInhibit: Bool?
    let initialInhibitAnyPolicy: Bool?
    /// The policies with which a success has to end.
    let userConstrainedPolicySet: [String]?

    /// Everything of the id but its last part.
    var category: String { id.split(separator: "::").dropLast().joined(separator: "::") }
}

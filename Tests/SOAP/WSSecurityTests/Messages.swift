// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateAuthorities
import CertificateTrust
import Foundation
import Identities
import WSSecurity
import X509
import XMLDocuments

/// The messages, keys and times of the tests.
enum Messages {
    static let time = Date(timeIntervalSince1970: 1_790_000_000)
    static let soap11 = "http://schemas.xmlsoap.org/soap/envelope/"
    static let soap12 = "http://www.w3.org/2003/05/soap-envelope"

    static let security = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd"
    static let utility = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd"

    /// Returns an envelope with a prefix in a value.
    static func envelope(_ namespace: String = soap11, header: String = "") -> [UInt8] {
        Array(
            """
            <?xml version="1.0"?>
            <s:Envelope xmlns:s="\(namespace)" xmlns:xsd="http://www.w3.org/2001/XMLSchema" \
            xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">\(header)<s:Body>\
            <b:Pay xmlns:b="urn:bank"><b:to xsi:type="xsd:string">Ann &amp; Bob</b:to></b:Pay></s:Body></s:Envelope>
            """.utf8)
    }

    static let authority = Result { try CertificateAuthority(name: "Root", now: time) }
    static let signer = Result { try authority.get().issue(.client(name: "Signer"), now: time) }

    static func identity(_ keyType: CertificateAuthority.KeyType) throws -> Identity {
        try CertificateAuthority.selfSigned(.server(names: ["bank.test"], keyType: keyType), now: time)
    }

    /// The policy that trusts signers of the tests' authority.
    static var policy: SecurityPolicy {
        SecurityPolicy(anchors: (try? [authority.get().root]) ?? [])
    }

    /// Returns the error that a call throws; `nil` if it throws none.
    static func error(_ body: () throws -> VerifiedMessage) -> WSSecurityError? {
        do {
            _ = try body()
            return nil
        } catch { return error as? WSSecurityError }
    }

    /// Returns a signer that trusts certificates of the tests' authority.
    static func trustingAuthority() throws -> SignatureVerifier.Signer {
        let evaluator = TrustEvaluator(
            policy: TrustPolicy(anchors: .only([try authority.get().root])), systemAnchors: AnchorStore([]))
        return .certificate(CertifiedSigner(evaluator: evaluator, at: time))
    }
}

extension [UInt8] {
    var text: String { String(decoding: self, as: UTF8.self) }
}

/// A replacement of random bytes that is the same in each run.
let countingBytes: @Sendable (Int) -> [UInt8] = { count in (0..<count).map { UInt8($0 % 251) } }

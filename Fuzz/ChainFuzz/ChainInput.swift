// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Crypto
import Foundation
import SwiftASN1
import TrustRecipes
import X509

/// The arguments of an evaluation.
struct ChainInput {
    /// The maximum number of records, which exceeds the limits of the search but takes little time to sign.
    private static let limit = 48
    static let keys: [P256.Signing.PrivateKey] = (1...8).compactMap { number in
        try? P256.Signing.PrivateKey.fixed(number)
    }

    private(set) var presented: [Certificate] = []
    private(set) var anchors: [Certificate] = []
    private(set) var evidence = TrustEvidence()
    private(set) var host = "a.test"
    private(set) var time = Instant.now
    private var choices: [UInt8] = []
    private var pins = PinSet()

    init(_ input: [UInt8]) {
        for record in ChainRecord.all(input).prefix(Self.limit) { read(record) }
    }

    private mutating func read(_ record: ChainRecord) {
        let content = record.content
        switch record.kind {
        case .presented: presented += Self.certificates(content)
        case .anchor: anchors += Self.certificates(content)
        case .fetched: evidence.issuers += Self.certificates(content)
        case .presentedToSign: presented += Self.certificates(Self.signed(content))
        case .anchorToSign: anchors += Self.certificates(Self.signed(content))
        case .fetchedToSign: evidence.issuers += Self.certificates(Self.signed(content))
        case .list: evidence.revocation.lists += Self.lists(content)
        case .listToSign: evidence.revocation.lists += Self.lists(Self.signed(content))
        case .response: evidence.revocation.responses += Self.responses(content)
        case .responseToSign:
            evidence.revocation.responses += Self.responses(ResponseRecipe.complete(Self.signed(content)))
        case .host: host = String(decoding: content, as: UTF8.self)
        case .time:
            let seconds = content.prefix(4).reduce(Int32(0)) { $0 << 8 | Int32($1) }
            time = Instant.now + TimeInterval(seconds)
        case .policy: choices = content
        case .pin: if let pin = try? Pin(String(decoding: content, as: UTF8.self)) { pins.pins.insert(pin) }
        case .pinned: pin(content)
        }
    }

    private mutating func pin(_ content: [UInt8]) {
        guard content.count == 2, Int(content[1]) < presented.count else { return }
        let kind = [Pin.Kind.publicKey, .certificate, .authority][Int(content[0]) % 3]
        let pin = Pin(kind, of: presented[Int(content[1])])
        if content[0] < 0x80 { pins.pins.insert(pin) } else { pins.backups.insert(pin) }
    }

    private static func signed(_ content: [UInt8]) -> [UInt8] {
        guard let number = content.first else { return [] }
        let key = keys[Int(number) % keys.count]
        return (try? Encoding.signed(Array(content.dropFirst()), by: key)) ?? []
    }

    private static func certificates(_ bytes: [UInt8]) -> [Certificate] {
        [try? Certificate(derEncoded: bytes)].compactMap(\.self)
    }

    private static func lists(_ bytes: [UInt8]) -> [CertificateRevocationList] {
        [try? CertificateRevocationList(derEncoded: bytes)].compactMap(\.self)
    }

    private static func responses(_ bytes: [UInt8]) -> [RevocationEvidence.Response] {
        [try? OCSPResponse(derEncoded: bytes)].compactMap(\.self).map { .init($0) }
    }
}

/// The properties of the policy, each of which one byte chooses.
extension ChainInput {
    private func choice(_ index: Int) -> Int { index < choices.count ? Int(choices[index]) : 0 }

    private func pick<Value>(_ index: Int, _ values: [Value]) -> Value { values[choice(index) % values.count] }

    var policy: TrustPolicy {
        var pins = pins
        pins.enforcement = pick(4, [PinSet.Enforcement.enforced, .reportOnly])
        pins.expiry = pick(5, [Date?.none, time - 1, time + 1])
        let anchors = pick(6, [TrustPolicy.Anchors.only(anchors), .systemAnd(Array(anchors.dropFirst())), .system])
        return TrustPolicy(
            anchors: anchors,
            profile: pick(1, [nil, .privatePKI, .webPKI]), pins: pins,
            revocation: pick(2, [.whereDemanded, .softFail, .hardFail]),
            missingIssuers: pick(3, [.notFetched, .fetched]),
            validation: pick(0, [.full, .firstUse, .dangerouslyDisabled]))
    }

    /// The anchors of the operating system: none, the first, or all, to match the policy.
    var systemAnchors: [Certificate] { pick(6, [[], Array(anchors.prefix(1)), anchors]) }

    var remembered: RememberedServer? {
        let keys = presented.prefix(2).map { RememberedServer(key: Pin(of: $0), since: time - 1) }
        return pick(7, [nil] + keys)
    }

    var requirements: PathRequirements {
        var requirements = PathRequirements(
            purposes: pick(8, [[.serverAuth], [.clientAuth], []]),
            keyUse: pick(9, [.handshake, .anything, .every(KeyUsage(digitalSignature: true, keyAgreement: true))]),
            maximumDepth: pick(10, [nil, 0, 1, 2]))
        requirements.rules = pick(11, [nil, .rfc5280, .baselineRequirements, .privatePKI])
        return requirements
    }

    var publicSuffixes: PublicSuffixList? { pick(12, [nil, Self.suffixes]) }

    private static let suffixes = PublicSuffixList(Array("test\n*.example\n!www.example\n".utf8))
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import SwiftASN1

/// The policy extensions of a certificate (RFC 5280 sections 4.2.1.4, 4.2.1.5, 4.2.1.11 and 4.2.1.14).
struct PolicyExtensions: Sendable {
    /// The content octets of an object identifier.
    typealias Policy = ArraySlice<UInt8>

    struct Constraints: Hashable, Sendable {
        var requireExplicitPolicy: Int?
        var inhibitPolicyMapping: Int?
    }

    struct Mapping: Hashable, Sendable {
        let issuerDomain: Policy
        let subjectDomain: Policy
    }

    /// The object identifier 2.5.29.32.0.
    static let anyPolicy: Policy = [0x55, 0x1d, 0x20, 0x00]

    let policies: ExtensionReading<Set<Policy>>
    let mappings: ExtensionReading<[Mapping]>
    let constraints: ExtensionReading<Constraints>
    let inhibitAnyPolicy: ExtensionReading<Int>

    init(_ encoded: EncodedCertificate, _ deviations: inout EncodingDeviations) {
        policies = encoded.reading(.certificatePolicies, ExtensionNumber.certificatePolicies) {
            try Self.policies($0, &deviations)
        }
        mappings = encoded.reading(.policyMappings, ExtensionNumber.policyMappings) { try Self.mappings($0.value) }
        constraints = encoded.reading(.policyConstraints, ExtensionNumber.policyConstraints) {
            try Self.constraints($0.value, &deviations)
        }
        inhibitAnyPolicy = encoded.reading(.inhibitAnyPolicy, ExtensionNumber.inhibitAnyPolicy) {
            try Self.skipCerts($0.value)
        }
    }

    private struct Malformed: Error {}

    private static func policies(_ found: EncodedExtension, _ deviations: inout EncodingDeviations) throws -> Set<
        Policy
    > {
        var policies: Set<Policy> = []
        for information in try elements(of: found.value) {
            var parts = DERReader(information.content)
            guard let policy = parts.next(), isIdentifier(policy) else { throw Malformed() }
            let qualifiers = parts.next()
            guard parts.isAtEnd else { throw Malformed() }
            // A client must understand the qualifiers of a critical extension (RFC 5280 section 4.2.1.4).
            if found.isCritical, let qualifiers { try checkQualifiers(qualifiers) }
            if !policies.insert(policy.content).inserted { deviations.insert(.duplicatePolicies) }
        }
        return policies
    }

    private static func checkQualifiers(_ qualifiers: DERReader.Element) throws {
        for qualifier in try elements(of: qualifiers.bytes) {
            var parts = DERReader(qualifier.content)
            guard let kind = parts.next(), knownQualifiers.contains(kind.content) else { throw Malformed() }
        }
    }

    private static func mappings(_ value: ArraySlice<UInt8>) throws -> [Mapping] {
        try elements(of: value).map { element in
            var parts = DERReader(element.content)
            guard let issuer = parts.next(), let subject = parts.next(), isIdentifier(issuer), isIdentifier(subject),
                ![issuer.content, subject.content].contains(anyPolicy)
            else { throw Malformed() }
            return Mapping(issuerDomain: issuer.content, subjectDomain: subject.content)
        }
    }

    private static func constraints(
        _ value: ArraySlice<UInt8>, _ deviations: inout EncodingDeviations
    ) throws -> Constraints {
        var constraints = Constraints()
        let elements = try elements(of: value, mayBeEmpty: true)
        if elements.isEmpty { deviations.insert(.emptySequences) }
        // Each field occurs at most once, in the order of the tags.
        guard zip(elements, elements.dropFirst()).allSatisfy({ $0.tag < $1.tag }) else { throw Malformed() }
        for element in elements {
            switch element.tag {
            case DERTag.primitive(0): constraints.requireExplicitPolicy = try number(element.content)
            case DERTag.primitive(1): constraints.inhibitPolicyMapping = try number(element.content)
            default: throw Malformed()
            }
        }
        return constraints
    }

    private static func skipCerts(_ value: ArraySlice<UInt8>) throws -> Int {
        var reader = DERReader(value)
        guard let element = reader.next(), element.tag == DERTag.integer, reader.rest.isEmpty else { throw Malformed() }
        return try number(element.content)
    }

    private static func isIdentifier(_ element: DERReader.Element) -> Bool {
        element.tag == DERTag.objectIdentifier && element.content.isObjectIdentifier
    }

    /// Returns the elements of a sequence.
    private static func elements(
        of value: ArraySlice<UInt8>, mayBeEmpty: Bool = false
    ) throws -> [DERReader.Element] {
        var outer = DERReader(value)
        guard var inner = outer.enter(DERTag.sequence), outer.rest.isEmpty else { throw Malformed() }
        var elements: [DERReader.Element] = []
        while let element = inner.next() { elements.append(element) }
        guard inner.rest.isEmpty, mayBeEmpty || !elements.isEmpty else { throw Malformed() }
        return elements
    }

    /// Reads a number that is not negative; a value of more than 4
    /// octets exceeds the length of every path and becomes `Int.max`.
    private static func number(_ content: ArraySlice<UInt8>) throws -> Int {
        guard let first = content.first, first < 0x80 else { throw Malformed() }
        // A leading zero would make a small number appear to have more than 4 octets.
        if first == 0, content.count > 1, content[content.startIndex + 1] < 0x80 { throw Malformed() }
        return content.count > 4 ? .max : content.reduce(0) { $0 << 8 | Int($1) }
    }

    /// The qualifiers for CPS pointers and user notices.
    private static let knownQualifiers: Set<Policy> = [
        [0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x02, 0x01], [0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x02, 0x02],
    ]
}

extension ASN1ObjectIdentifier {
    static let certificatePolicies: Self = [2, 5, 29, 32]
    static let policyMappings: Self = [2, 5, 29, 33]
    static let policyConstraints: Self = [2, 5, 29, 36]
    static let inhibitAnyPolicy: Self = [2, 5, 29, 54]
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import SwiftASN1
package import X509

/// The check of name constraints (RFC 5280 section 4.2.1.10).
///
/// For unsupported name types the check fails closed: a constraint on such a type forbids every name of that type.
enum NameConstraintsCheck {
    /// The budget for comparisons of names with subtrees of their type in a search, about as many as in rustls-webpki
    /// 0.103: enough for 500 names with 500 constraints.
    struct Budget {
        private static let limit = 1 << 18

        private var needed = 0

        var isExhausted: Bool { needed > Self.limit }

        var failure: TrustFailure { .budgetExhausted(.nameComparisons, allowed: Self.limit, met: needed) }

        mutating func spend(_ count: Int) throws(TrustFailure) {
            needed = needed.addingReportingOverflow(count).partialValue
            guard !isExhausted else { throw failure }
        }
    }

    /// The constraints of an authority by the type of their names.
    private struct Grouped {
        /// The subtrees of one type.
        struct Group {
            var permitted: [Name] = []
            var excluded: [Name] = []

            var count: Int { permitted.count + excluded.count }
        }

        private var groups: [GeneralName.NameType: Group] = [:]

        init(_ constraints: NameSubtrees) {
            for base in constraints.permitted {
                groups[base.nameType, default: Group()].permitted.append(Name(base))
            }
            for base in constraints.excluded {
                groups[base.nameType, default: Group()].excluded.append(Name(base))
            }
        }

        /// Returns the subtrees that apply to a name; constraints on mailboxes also apply to internationalized ones (RFC
        /// 9598 section 6).
        func group(for name: GeneralName) -> Group {
            var group = groups[name.nameType] ?? Group()
            if name.nameType == .mailbox, let mailboxes = groups[.rfc822Name] {
                group.permitted += mailboxes.permitted
                group.excluded += mailboxes.excluded
            }
            return group
        }

        /// Whether a constraint applies to subjects: to their names, or to their email addresses.
        var appliesToSubjects: Bool { groups[.directoryName] != nil || groups[.rfc822Name] != nil }
    }

    /// A name or the base of a subtree, with the canonical form of a directory name.
    private struct Name {
        let name: GeneralName
        let relativeNames: [NameKey.Relative]
        private let subject: ArraySlice<UInt8>?

        init(_ name: GeneralName) {
            self.name = name
            relativeNames = name.relativeNames
            subject = nil
        }

        /// - Parameter subject: An encoded name, which is not parsed by swift-certificates, because an unreadable name
        ///   would be an empty one, to which no constraint applies.
        init(subject: ArraySlice<UInt8>) {
            name = .directoryName(DistinguishedName())
            relativeNames = NameKey.relativeNames(of: subject)
            self.subject = subject
        }

        var text: String { subject.map(NameText.text) ?? name.text }

        /// Returns whether the name is inside a subtree; `nil` if that cannot be determined.
        func liesIn(_ subtree: Name) -> Bool? {
            guard case (.directoryName, .directoryName) = (name, subtree.name) else { return name.liesIn(subtree.name) }
            return GeneralName.directory(relativeNames, liesIn: subtree.relativeNames)
        }
    }

    // The path begins with the leaf and ends with the anchor.
    static func check(_ path: [ParsedCertificate], budget: inout Budget) throws(TrustFailure) {
        for (index, authority) in path.enumerated().dropFirst() {
            guard let constraints = try authority.require(authority.nameConstraints) else { continue }
            try budget.spend(constraints.permitted.count + constraints.excluded.count + index)
            try checkForm(constraints, of: authority)
            let grouped = Grouped(constraints)
            for (position, certificate) in path[..<index].enumerated() {
                // A self-issued intermediate is exempt, a leaf is not (section 6.1.3 step b).
                if position > 0, certificate.isSelfIssued { continue }
                func check(_ names: [Name]) throws(TrustFailure) {
                    try budget.spend(names.reduce(0) { $0 + max(1, grouped.group(for: $1.name).count) })
                    for name in names {
                        guard let constraint = refusal(of: name, by: grouped.group(for: name.name)) else { continue }
                        throw .nameConstraints(
                            certificate.summary, name: name.text, authority: authority.summary, constraint: constraint)
                    }
                }
                let names = try certificate.require(certificate.alternativeNames) ?? []
                try check(names.map { Name($0) })
                guard grouped.appliesToSubjects else { continue }
                // The subject is parsed last, because a hostile one can have thousands of attributes.
                try budget.spend(certificate.fields.subject.count / bytesInComparison)
                try check(subjectNames(of: certificate, besides: names))
            }
        }
    }

    /// The number of bytes of a subject whose parsing takes about as long as a comparison.
    private static let bytesInComparison = 32

    /// Returns the subject unless it is empty, and its email addresses if no alternative name is an email address.
    private static func subjectNames(
        of certificate: ParsedCertificate, besides alternativeNames: [GeneralName]
    ) -> [Name] {
        guard !certificate.subject.isEmpty else { return [] }
        var names = [Name(subject: certificate.fields.subject)]
        let hasMailbox = alternativeNames.contains { $0.nameType == .rfc822Name || $0.nameType == .mailbox }
        guard !hasMailbox else { return names }
        var outer = DERReader(certificate.fields.subject)
        var relativeNames = outer.enter(DERTag.sequence)
        while var attributes = relativeNames?.enter(DERTag.set) {
            while var attribute = attributes.enter(DERTag.sequence) {
                guard attribute.next()?.content.elementsEqual(emailAddress) == true else { continue }
                names.append(Name(.rfc822Name(attribute.next()?.text ?? "")))
            }
        }
        return names
    }

    /// The attribute type emailAddress (RFC 2985 section 5.2.1), 1.2.840.113549.1.9.1.
    private static let emailAddress: [UInt8] = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x09, 0x01]

    /// Rejects an unreadable constraint, because ignoring it would remove the restriction.
    private static func checkForm(_ constraints: NameSubtrees, of authority: ParsedCertificate) throws(TrustFailure) {
        guard constraints.permitted.allSatisfy(\.isWellFormedSubtree),
            constraints.excluded.allSatisfy(\.isWellFormedSubtree)
        else { throw .malformedExtension(authority.summary, "\(authority.nameConstraints.identifier)") }
    }

    /// Returns the constraint that forbids the name, as text; `nil` if the name is allowed.
    private static func refusal(of name: Name, by group: Grouped.Group) -> String? {
        guard group.count > 0 else { return nil }
        guard name.name.isWellFormedName else { return "unreadable name" }
        let excluded = group.excluded.first { name.name.isWildcard(over: $0.name) || name.liesIn($0) != false }
        if let excluded { return "excluded: \(excluded.text)" }
        let isPermitted = group.permitted.isEmpty || group.permitted.contains { name.liesIn($0) ?? false }
        guard !isPermitted else { return nil }
        return "permitted: " + group.permitted.prefix(5).map(\.text).joined(separator: ", ")
    }
}

extension GeneralName {
    /// Whether the name is well-formed as a subtree; true for unsupported types, which forbid every name of their type.
    var isWellFormedSubtree: Bool {
        switch self {
        // A constraint has no wildcard. All peers read a leading dot, which RFC 5280 does not define here.
        case .dnsName(let base): base.isEmpty || Self.isHostOrDomain(base)
        case .rfc822Name(let base): base.contains("@") ? Mailbox(base) != nil : Self.isHostOrDomain(base)
        case .uniformResourceIdentifier(let base): Self.isHostOrDomain(base)
        case .ipAddress(let range): Self.isRange(range.bytes)
        default: true
        }
    }

    /// Whether the name is well-formed; a malformed name cannot be compared with subtrees.
    var isWellFormedName: Bool {
        guard case .dnsName(let name) = self else { return true }
        return Self.isHost(name.hasPrefix("*.") ? String(name.dropFirst(2)) : name)
    }

    /// The type of a name, as far as name constraints distinguish types.
    enum NameType: Hashable {
        case dnsName, ipAddress, directoryName, rfc822Name, uniformResourceIdentifier, registeredID, x400Address
        case ediPartyName
        /// An internationalized mailbox (RFC 9598).
        case mailbox
        case otherName(ASN1ObjectIdentifier)
    }

    var nameType: NameType {
        switch self {
        case .dnsName: .dnsName
        case .ipAddress: .ipAddress
        case .directoryName: .directoryName
        case .rfc822Name: .rfc822Name
        case .uniformResourceIdentifier: .uniformResourceIdentifier
        case .registeredID: .registeredID
        case .x400Address: .x400Address
        case .ediPartyName: .ediPartyName
        case .otherName(let other): other.typeID == OtherName.mailbox ? .mailbox : .otherName(other.typeID)
        }
    }

    /// Whether the name is a constraint on DNS names that begins with a dot.
    var isDomainWithDot: Bool {
        if case .dnsName(let base) = self { base.utf8.first == UInt8(ascii: ".") } else { false }
    }

    package func isSameKind(as other: GeneralName) -> Bool {
        nameType == other.nameType || nameType == .mailbox && other.nameType == .rfc822Name
    }

    /// Returns whether the name is certainly inside a subtree.
    package func isInside(_ subtree: GeneralName) -> Bool { liesIn(subtree) ?? false }

    /// Returns whether the name is certainly outside a subtree; a wildcard that could match a name inside is not.
    package func isOutside(_ subtree: GeneralName) -> Bool {
        !isWildcard(over: subtree) && liesIn(subtree) == false
    }

    /// Returns whether the name is a wildcard that could match a name inside a subtree of DNS names.
    fileprivate func isWildcard(over subtree: GeneralName) -> Bool {
        guard case .dnsName(let name) = self, case .dnsName(let base) = subtree, name.utf8.starts(with: "*.".utf8)
        else { return false }
        return Self.name(base.hasPrefix(".") ? String(base.dropFirst()) : base, liesBelow: String(name.dropFirst(2)))
    }

    /// Returns whether the name is inside a subtree; `nil` if that cannot be determined.
    fileprivate func liesIn(_ subtree: GeneralName) -> Bool? {
        switch (self, subtree) {
        case (.dnsName(let name), .dnsName(let base)):
            guard base.utf8.first == UInt8(ascii: ".") else { return Self.name(name, liesBelow: base) }
            // The peers take only the names below the domain, and RFC 5280 would take the domain itself too.
            let domain = String(base.dropFirst())
            guard Self.name(name, liesBelow: domain) else { return false }
            return name.utf8.count > base.utf8.count ? true : nil
        case (.ipAddress(let address), .ipAddress(let range)):
            return Self.address(address.bytes, liesIn: range.bytes)
        case (.directoryName, .directoryName):
            return Self.directory(relativeNames, liesIn: subtree.relativeNames)
        case (.rfc822Name, .rfc822Name(let base)), (.otherName, .rfc822Name(let base)):
            guard let mailbox = Mailbox(self) else { return nil }
            return base.contains("@") ? mailbox.matches(base) : Self.host(mailbox.host, liesIn: base)
        case (.uniformResourceIdentifier(let text), .uniformResourceIdentifier(let base)):
            return Self.uriHost(text).map { Self.host($0, liesIn: base) }
        default: return nil
        }
    }

    /// The relative names of a directory name in canonical form; empty for other names.
    fileprivate var relativeNames: [NameKey.Relative] {
        if case .directoryName(let name) = self { NameKey.relativeNames(of: name) } else { [] }
    }

    /// Returns whether a directory name begins with another one (RFC 5280 section 7.1).
    fileprivate static func directory(_ name: [NameKey.Relative], liesIn base: [NameKey.Relative]) -> Bool? {
        guard name.count >= base.count else { return false }
        var isCertain = true
        for (mine, its) in zip(name, base) where mine.key == nil || mine.key != its.key {
            guard !mine.isText || !its.isText else { return false }
            isCertain = false
        }
        return isCertain ? true : nil
    }

    private static func name(_ name: String, liesBelow base: String) -> Bool {
        guard !base.isEmpty else { return true }
        let (name, base) = (name.utf8, base.utf8)
        guard name.count >= base.count, zip(name.reversed(), base.reversed()).allSatisfy({ fold($0) == fold($1) })
        else {
            return false
        }
        return name.count == base.count || name.dropLast(base.count).last == UInt8(ascii: ".")
    }

    private static func fold(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }

    /// Returns whether a host is in a subtree of mailboxes or URIs; a base with a leading dot matches all hosts below
    /// it, and any other base matches one host.
    private static func host(_ host: String, liesIn base: String) -> Bool {
        let (host, base) = (host.lowercased(), base.lowercased())
        return base.hasPrefix(".") ? host.hasSuffix(base) && host.utf8.count > base.utf8.count : host == base
    }

    private static func address(_ address: ArraySlice<UInt8>, liesIn range: ArraySlice<UInt8>) -> Bool? {
        guard [4, 16].contains(address.count), isRange(range) else { return nil }
        // An IPv4 address is outside every IPv6 range, and vice versa.
        guard range.count == 2 * address.count else { return false }
        return zip(address, zip(range.prefix(address.count), range.suffix(address.count)))
            .allSatisfy { byte, subnet in byte & subnet.1 == subnet.0 & subnet.1 }
    }

    /// Returns whether the bytes are an address and a contiguous mask (RFC 4632).
    private static func isRange(_ range: ArraySlice<UInt8>) -> Bool {
        guard [8, 32].contains(range.count) else { return false }
        let mask = range.suffix(range.count / 2)
        let ones = mask.prefix { $0 == 0xff }.count
        let rest = mask.dropFirst(ones)
        guard let first = rest.first else { return true }
        return (~first) & (~first &+ 1) == 0 && rest.dropFirst().allSatisfy { $0 == 0 }
    }

    private static func uriHost(_ text: String) -> String? {
        guard let start = text.firstRange(of: "://")?.upperBound else { return nil }
        let authority = text[start...].prefix { !"/?#".contains($0) }
        let host = authority.split(separator: "@", omittingEmptySubsequences: false).last.map(String.init) ?? ""
        guard !host.hasPrefix("["), let name = host.split(separator: ":", omittingEmptySubsequences: false).first,
            let parsed = try? HostName(String(name)), !parsed.isAddress
        else { return nil }
        return parsed.description
    }

    private static func isHostOrDomain(_ base: String) -> Bool {
        isHost(base.hasPrefix(".") ? String(base.dropFirst()) : base)
    }

    private static func isHost(_ text: String) -> Bool {
        guard let host = try? HostName(text), !host.isAddress else { return false }
        return !text.hasSuffix(".")
    }
}

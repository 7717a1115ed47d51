// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import SwiftASN1
package import X509

/// The check of name constraints (RFC 5280 section 4.2.1.10).
///
/// For unsupported name types the check fails closed: a constraint on such a type forbids every name of that type.
enum NameConstraintsCheck {
    /// The budget for comparisons of names with subtrees in a search,
    /// enough for about 180 names with 180 constraints.
    struct Budget {
        private var remaining = 32_768
        private(set) var isExhausted = false

        mutating func spend(_ count: Int) -> Bool {
            isExhausted = isExhausted || count > remaining
            remaining -= min(count, remaining)
            return !isExhausted
        }
    }

    // The path begins with the leaf and ends with the anchor.
    static func check(_ path: [ParsedCertificate], budget: inout Budget) throws(TrustFailure) {
        for (index, authority) in path.enumerated().dropFirst() {
            guard let constraints = try authority.require(authority.nameConstraints) else { continue }
            let subtrees = constraints.permittedSubtrees.count + constraints.excludedSubtrees.count
            try spend(subtrees, from: &budget)
            try checkForm(constraints, of: authority)
            for (position, certificate) in path[..<index].enumerated() {
                // A self-issued intermediate is exempt, a leaf is not (section 6.1.3 step b).
                if position > 0, certificate.isSelfIssued { continue }
                func check(_ names: [GeneralName]) throws(TrustFailure) {
                    try spend(names.count * subtrees, from: &budget)
                    for name in names {
                        guard let constraint = refusal(of: name, by: constraints) else { continue }
                        throw .nameConstraints(
                            certificate.summary, name: name.text, authority: authority.summary, constraint: constraint)
                    }
                }
                let names = try certificate.require(certificate.alternativeNames) ?? []
                try check(names)
                // The subject is parsed last, because a hostile one can have thousands of attributes.
                try check(subjectNames(of: certificate, besides: names))
            }
        }
    }

    private static func spend(_ comparisons: Int, from budget: inout Budget) throws(TrustFailure) {
        guard budget.spend(comparisons) else { throw .budgetExhausted(signatureChecks: 0) }
    }

    /// Returns the subject unless it is empty, and its email addresses if no alternative name is an email address.
    private static func subjectNames(
        of certificate: ParsedCertificate, besides alternativeNames: [GeneralName]
    ) -> [GeneralName] {
        let subject = certificate.subjectName
        guard !subject.isEmpty else { return [] }
        var names = [GeneralName.directoryName(subject)]
        let hasMailbox = alternativeNames.contains { if case .rfc822Name = $0 { true } else { false } }
        guard !hasMailbox else { return names }
        for attribute in subject.joined() where attribute.type == .RDNAttributeType.emailAddress {
            names.append(.rfc822Name(String(attribute.value) ?? ""))
        }
        return names
    }

    /// Rejects an unreadable constraint, because ignoring it would remove the restriction.
    private static func checkForm(_ constraints: NameConstraints, of authority: ParsedCertificate) throws(TrustFailure)
    {
        let subtrees = constraints.permittedSubtrees + constraints.excludedSubtrees
        guard !subtrees.isEmpty, subtrees.allSatisfy(\.isWellFormedSubtree) else {
            throw .malformedExtension(authority.summary, "\(authority.nameConstraints.identifier)")
        }
    }

    /// Returns the constraint that forbids the name, as text; `nil` if the name is allowed.
    private static func refusal(of name: GeneralName, by constraints: NameConstraints) -> String? {
        guard name.isWellFormedName else { return "unreadable name" }
        if let excluded = constraints.excludedSubtrees.first(where: { name.isSameKind(as: $0) && !name.isOutside($0) })
        {
            return "excluded: \(excluded.text)"
        }
        let permitted = constraints.permittedSubtrees.filter { name.isSameKind(as: $0) }
        guard !permitted.isEmpty, !permitted.contains(where: { name.isInside($0) }) else { return nil }
        return "permitted: " + permitted.prefix(5).map(\.text).joined(separator: ", ")
    }
}

extension GeneralName {
    /// Whether the name is well-formed as a subtree; true for unsupported types, which forbid every name of their type.
    var isWellFormedSubtree: Bool {
        switch self {
        // The base of a DNS name has no leading dot, and a constraint has no wildcard.
        case .dnsName(let base): base.isEmpty || Self.isHost(base)
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

    package func isSameKind(as other: GeneralName) -> Bool {
        switch (self, other) {
        case (.dnsName, .dnsName), (.ipAddress, .ipAddress), (.directoryName, .directoryName),
            (.rfc822Name, .rfc822Name), (.uniformResourceIdentifier, .uniformResourceIdentifier),
            (.otherName, .otherName), (.registeredID, .registeredID), (.x400Address, .x400Address),
            (.ediPartyName, .ediPartyName):
            true
        default: false
        }
    }

    /// Returns whether the name is certainly inside a subtree.
    package func isInside(_ subtree: GeneralName) -> Bool { liesIn(subtree) ?? false }

    /// Returns whether the name is certainly outside a subtree; a wildcard that could match a name inside is not.
    package func isOutside(_ subtree: GeneralName) -> Bool {
        if case .dnsName(let name) = self, case .dnsName(let base) = subtree, name.hasPrefix("*."),
            Self.name(base, liesBelow: String(name.dropFirst(2)))
        {
            return false
        }
        return liesIn(subtree) == false
    }

    /// Returns whether the name is inside a subtree; `nil` if that cannot be determined.
    private func liesIn(_ subtree: GeneralName) -> Bool? {
        switch (self, subtree) {
        case (.dnsName(let name), .dnsName(let base)):
            return Self.name(name, liesBelow: base)
        case (.ipAddress(let address), .ipAddress(let range)):
            return Self.address(address.bytes, liesIn: range.bytes)
        case (.directoryName(let name), .directoryName(let base)):
            guard name.count >= base.count else { return false }
            var isCertain = true
            for (mine, its) in zip(name, base) {
                guard let matches = mine.matches(its) else {
                    isCertain = false
                    continue
                }
                if !matches { return false }
            }
            return isCertain ? true : nil
        case (.rfc822Name(let text), .rfc822Name(let base)):
            guard let mailbox = Mailbox(text) else { return nil }
            return base.contains("@") ? mailbox.matches(base) : Self.host(mailbox.host, liesIn: base)
        case (.uniformResourceIdentifier(let text), .uniformResourceIdentifier(let base)):
            return Self.uriHost(text).map { Self.host($0, liesIn: base) }
        default: return nil
        }
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

extension RelativeDistinguishedName {
    /// Compares attributes by type, and text values without regard to case (RFC 5280 section 7.1); `nil` if a value is
    /// of an unsupported string type.
    fileprivate func matches(_ other: RelativeDistinguishedName) -> Bool? {
        guard count == other.count else { return false }
        var isCertain = true
        for (mine, its) in zip(self, other) where mine.value != its.value || mine.type != its.type {
            guard mine.type == its.type else { return false }
            guard let matches = mine.value.matches(its.value) else {
                isCertain = false
                continue
            }
            if !matches { return false }
        }
        return isCertain ? true : nil
    }
}

extension RelativeDistinguishedName.Attribute.Value {
    fileprivate func matches(_ other: Self) -> Bool? {
        guard let mine = String(self), let its = String(other) else { return nil }
        return mine.lowercased().split(separator: " ") == its.lowercased().split(separator: " ")
    }
}

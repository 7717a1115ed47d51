// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import EssentialFoundation
import X509

extension PolicyReader {
    /// Reads `system`, or a mapping with `add` or `only` and a list of files.
    mutating func anchors(_ node: PolicyNode) throws(PolicyFileError) -> TrustPolicy.Anchors {
        if node.isText { return try node.choice(PolicyValues.anchors) }
        let mapping = try PolicyMapping(node, keys: ["add", "only"])
        switch (mapping["add"], mapping["only"]) {
        case (let files?, nil): return .systemAnd(try certificates(files))
        case (nil, let files?): return .only(try certificates(files))
        default: throw node.error(.notOne(of: ["add", "only"]))
        }
    }

    private mutating func certificates(_ files: PolicyNode) throws(PolicyFileError) -> [CertificateSummary] {
        var certificates: [CertificateSummary] = []
        for file in try files.list() {
            let read = file.attempt { () throws(PolicyFileError) in try anchors(in: file) }
            guard let (path, found, unread) = read else { continue }
            warn(of: unread, in: path, at: file.place)
            for certificate in found where certificate.notAfter < time {
                warn(
                    .expiredAnchor(path: path, subject: certificate.subject, since: certificate.notAfter),
                    at: file.place)
            }
            for certificate in found where !Self.isAuthority(certificate) {
                warn(.leafAnchor(path: path, subject: certificate.subject), at: file.place)
            }
            certificates += found
        }
        return certificates
    }

    /// The maximum number of warnings about one file.
    private static let unreadLimit = 10

    private mutating func warn(of unread: [UnreadCertificate], in path: String, at place: PolicyFileLocation) {
        for certificate in unread.prefix(Self.unreadLimit) {
            warn(.unreadAnchor(path: path, certificate), at: place)
        }
        if unread.count > Self.unreadLimit {
            warn(.unreadAnchors(path: path, count: unread.count - Self.unreadLimit), at: place)
        }
    }

    private func anchors(in file: PolicyNode) throws(PolicyFileError) -> (
        String, [CertificateSummary], [UnreadCertificate]
    ) {
        let path = try file.text()
        guard !path.isEmpty else { throw file.error(.empty) }
        do {
            let (found, unread) = try anchorFile(path)
            return (path, found, unread)
        } catch {
            throw file.error(.anchors(path, error))
        }
    }

    /// Returns whether the basicConstraints mark a CA certificate; also
    /// true for a certificate that swift-certificates cannot read.
    private static func isAuthority(_ certificate: CertificateSummary) -> Bool {
        guard let certificate = certificate.certificate else { return true }
        if case .isCertificateAuthority? = try? certificate.extensions.basicConstraints { return true }
        return false
    }
}

extension PolicyReader {
    private static let day: TimeInterval = 86_400
    /// The time before the expiry of pins in which a warning is given, in seconds.
    private static let warningPeriod = 30 * day

    /// Reads `none`, or a mapping with pins.
    mutating func pins(_ node: PolicyNode) throws(PolicyFileError) -> PinSet {
        if node.isText { return try node.choice(PolicyValues.pins) }
        let mapping = try PolicyMapping(node, keys: ["any", "backups", "until", "enforcement"])
        var pins = PinSet(set(mapping.require("any")))
        pins.backups = set(mapping["backups"])
        mapping.read("until") { node throws(PolicyFileError) in pins.expiry = try end(of: node) }
        mapping.read("enforcement") { node throws(PolicyFileError) in
            pins.enforcement = try node.choice(PolicyValues.enforcement)
        }
        remark(on: pins, mapping)
        return pins
    }

    private func set(_ node: PolicyNode?) -> Set<Pin> {
        let elements = node?.attempt { () throws(PolicyFileError) in try node?.list() } ?? []
        return Set(
            (elements ?? []).compactMap { element in
                element.attempt { () throws(PolicyFileError) in try pin(element) }
            })
    }

    private func pin(_ element: PolicyNode) throws(PolicyFileError) -> Pin {
        let text = try element.text()
        do {
            return try Pin(text)
        } catch {
            throw element.error(.pin(error))
        }
    }

    /// Returns the end of a day in UTC; the pins apply until the end of that day.
    private func end(of node: PolicyNode) throws(PolicyFileError) -> Date {
        let text = try node.text()
        guard let start = InternetTime(day: text)?.date else { throw node.error(.day(text)) }
        return start + Self.day
    }

    private mutating func remark(on pins: PinSet, _ mapping: PolicyMapping) {
        if pins.backups.subtracting(pins.pins).isEmpty {
            warn(.pinsWithoutBackup, at: mapping.place(of: mapping["backups"] == nil ? "any" : "backups"))
        }
        if let expiry = pins.expiry, expiry - Self.warningPeriod <= time {
            warn(expiry <= time ? .pinsExpired(expiry) : .pinsExpireSoon(expiry), at: mapping.place(of: "until"))
        }
        if pins.enforcement == .reportOnly { warn(.pinsReportOnly, at: mapping.place(of: "enforcement")) }
    }
}

extension PolicyReader {
    /// Reads `any`, or a mapping with the requirements for a path's certificate policies.
    ///
    /// A mapping requires a policy by default, because users expect that the listed policies are enforced.
    func certificatePolicies(_ node: PolicyNode) throws(PolicyFileError) -> CertificatePolicyInputs {
        if node.isText { return try node.choice(PolicyValues.certificatePolicies) }
        let mapping = try PolicyMapping(node, keys: ["acceptable", "required", "mapping", "any-policy"])
        var inputs = CertificatePolicyInputs(isRequired: true)
        mapping.read("acceptable") { node throws(PolicyFileError) in inputs.acceptable = try acceptable(node) }
        mapping.read("required") { node throws(PolicyFileError) in inputs.isRequired = try node.boolean() }
        mapping.read("mapping") { node throws(PolicyFileError) in
            inputs.allowsMapping = try node.choice(PolicyValues.inhibition)
        }
        mapping.read("any-policy") { node throws(PolicyFileError) in
            inputs.allowsAnyPolicy = try node.choice(PolicyValues.inhibition)
        }
        return inputs
    }

    private func acceptable(_ node: PolicyNode) throws(PolicyFileError) -> Set<CertificatePolicyIdentifier> {
        Set(
            try node.list().compactMap { element in
                element.attempt { () throws(PolicyFileError) in try identifier(element) }
            })
    }

    /// Reads a name of ``PolicyValues/certificatePolicy``, or an object identifier, optionally followed by an
    /// organization's name for it.
    private func identifier(_ node: PolicyNode) throws(PolicyFileError) -> CertificatePolicyIdentifier {
        let text = try node.text()
        if let known = PolicyValues.certificatePolicy.first(where: { $0.key == text }) { return known.value }
        let parts = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let name = parts.dropFirst().first { !$0.isEmpty }
        guard let policy = CertificatePolicyIdentifier(parts.first ?? "", name: name) else {
            throw node.error(.certificatePolicy(text))
        }
        return policy
    }
}

extension PolicyReader {
    /// Reads `none`, or a mapping with a file and a rule.
    mutating func transparency(_ node: PolicyNode) throws(PolicyFileError) -> CertificateTransparency? {
        if node.isText { return try node.choice(PolicyValues.transparency) }
        let mapping = try PolicyMapping(node, keys: ["logs", "rule"])
        var rule = CertificateTransparencyRule.chrome
        mapping.read("rule") { node throws(PolicyFileError) in rule = try node.choice(PolicyValues.transparencyRule) }
        return try mapping.require("logs").map { node throws(PolicyFileError) in
            CertificateTransparency(logs: try logs(node), rule: rule)
        }
    }

    private mutating func logs(_ node: PolicyNode) throws(PolicyFileError) -> TransparencyLogList {
        let path = try node.text()
        guard !path.isEmpty else { throw node.error(.empty) }
        guard let logList else { throw node.error(.logList(path, nil)) }
        let list: TransparencyLogList
        do {
            list = try logLists[path] ?? logList(path)
        } catch {
            throw node.error(.logList(path, error))
        }
        logLists[path] = list
        if let made = list.time, time > made + CertificateTransparency.listLifetime {
            warn(.outdatedLogList(path: path, made: made), at: node.place)
        }
        return list
    }
}

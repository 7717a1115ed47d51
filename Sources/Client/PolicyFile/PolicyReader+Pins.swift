// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension PolicyReader {
    private static let day: TimeInterval = 86_400
    /// How long before their end pins are remarked on, in seconds.
    private static let notice = 30 * day

    /// `none`, or a mapping with pins.
    mutating func pins(_ node: PolicyNode) throws(PolicyFileError) -> PinSet {
        if node.isText { return try node.choice(PolicyWords.pins) }
        let mapping = try PolicyMapping(node, keys: ["any", "backups", "until", "enforcement"])
        var pins = PinSet(try set(mapping.require("any")))
        if let node = mapping["backups"] { pins.backups = try set(node) }
        if let node = mapping["until"] { pins.expiry = try end(of: node) }
        if let node = mapping["enforcement"] {
            pins.enforcement = try node.choice(PolicyWords.enforcement)
        }
        remark(on: pins, mapping)
        return pins
    }

    private func set(_ node: PolicyNode) throws(PolicyFileError) -> Set<Pin> {
        var pins: Set<Pin> = []
        for element in try node.list() {
            let text = try element.text()
            do {
                pins.insert(try Pin(text))
            } catch {
                throw element.error(.pin(error))
            }
        }
        return pins
    }

    /// The instant at which a day is over, in UTC: it is the last on which the pins bind.
    private func end(of node: PolicyNode) throws(PolicyFileError) -> Date {
        let text = try node.text()
        guard let start = InternetTime(day: text)?.date else { throw node.error(.day(text)) }
        return start + Self.day
    }

    private mutating func remark(on pins: PinSet, _ mapping: PolicyMapping) {
        if pins.backups.subtracting(pins.pins).isEmpty {
            warn(.pinsWithoutBackup, at: mapping.place(of: mapping["backups"] == nil ? "any" : "backups"))
        }
        if let expiry = pins.expiry, expiry - Self.notice <= time {
            warn(expiry <= time ? .pinsExpired(expiry) : .pinsExpireSoon(expiry), at: mapping.place(of: "until"))
        }
        if pins.enforcement == .reportOnly { warn(.pinsReportOnly, at: mapping.place(of: "enforcement")) }
    }
}

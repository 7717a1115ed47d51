// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Compares a path with the pins of a policy (RFC 7469 section 2.6).
struct PinCheck {
    let pins: PinSet
    let time: Date

    /// What the path lacks and what is worth a remark.
    ///
    /// The path is leaf first. Where nothing was validated it is the leaf alone, for nothing else was proved.
    func check(_ path: [ParsedCertificate]) -> (failure: TrustFailure?, remark: Verdict.Remark?) {
        guard !pins.isEmpty else { return (nil, nil) }
        guard pins.binds(at: time) else { return (nil, pins.expiry.map { .pinsExpired(on: $0) }) }
        if pins.pins.contains(where: { isSatisfied($0, by: path) }) { return (nil, nil) }
        if let backup = pins.backups.first(where: { isSatisfied($0, by: path) }) {
            return (nil, .backupPinInUse(backup))
        }
        let wanted = pins.pins.union(pins.backups).sorted { $0.description < $1.description }
        let presented = path.map { Pin(.publicKey, of: $0) }
        return switch pins.enforcement {
        case .enforced: (.pinMismatch(pins: wanted, presented: presented), nil)
        case .reportOnly: (nil, .pinMismatchReported(pins: wanted, presented: presented))
        }
    }

    private func isSatisfied(_ pin: Pin, by path: [ParsedCertificate]) -> Bool {
        let candidates =
            switch pin.kind {
            case .publicKey: path[...]
            case .certificate: path.prefix(1)
            case .authority: path.dropFirst()
            }
        return candidates.contains { Pin(pin.kind, of: $0) == pin }
    }
}

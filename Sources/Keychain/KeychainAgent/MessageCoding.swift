// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Secrets

/// Writes the fields of a message, numbers with the high byte first.
struct MessageWriter {
    private(set) var bytes: [UInt8] = []

    mutating func byte(_ value: UInt8) { bytes.append(value) }

    mutating func id(_ id: KeychainID) { bytes += id.bytes }

    mutating func keys(_ keys: AgentKeys) {
        secret(keys.afterFirstUnlock)
        secret(keys.whenUnlocked ?? Secret(utf8: []))
    }

    /// Whole seconds, rounded up; the highest number stands for none.
    mutating func duration(_ duration: Duration?) {
        guard let (seconds, rest) = duration?.components else { return number(.max) }
        let whole = min(UInt32(clamping: seconds), .max - 1)
        number(rest > 0 && whole < .max - 1 ? whole + 1 : whole)
    }

    private mutating func number(_ value: UInt32) {
        bytes += [UInt8(truncatingIfNeeded: value >> 24), UInt8(truncatingIfNeeded: value >> 16)]
        bytes += [UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value)]
    }

    private mutating func secret(_ secret: Secret) {
        secret.withUnsafeBytes {
            number(UInt32(clamping: $0.count))
            bytes += $0
        }
    }
}

/// Reads the fields of a message; each method returns `nil` where the message does not have the field.
struct MessageReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func byte() -> UInt8? { rest.popFirst() }

    mutating func id() -> KeychainID? { take(KeychainID.byteCount).flatMap { KeychainID($0) } }

    mutating func keys() -> AgentKeys? {
        guard let afterFirstUnlock = secret(), let whenUnlocked = secret() else { return nil }
        return AgentKeys(afterFirstUnlock: afterFirstUnlock, whenUnlocked: whenUnlocked.isEmpty ? nil : whenUnlocked)
    }

    /// The inner `nil` stands for no duration.
    mutating func duration() -> Duration?? {
        number().map { $0 == .max ? nil : .seconds(Int64($0)) }
    }

    private mutating func number() -> UInt32? { take(4).map { $0.reduce(0) { $0 << 8 | UInt32($1) } } }

    private mutating func secret() -> Secret? {
        guard let count = number(), count <= AgentKeys.mostBytes, var bytes = take(Int(count)) else { return nil }
        defer { bytes.erase() }
        return Secret(utf8: bytes)
    }

    private mutating func take(_ count: Int) -> [UInt8]? {
        guard count <= rest.count else { return nil }
        defer { rest.removeFirst(count) }
        return Array(rest.prefix(count))
    }
}

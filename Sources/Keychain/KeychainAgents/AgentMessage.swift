// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import Secrets

/// A request to an agent.
///
/// One connection carries one request and one response.
package enum AgentRequest: Equatable {
    case hold(KeychainID, AgentKeys, AgentLifetime)
    case fetch(KeychainID)
    /// Forgets the keys of one keychain, or of all for `nil`.
    case lock(KeychainID?)
    case status
}

/// A response of an agent.
package enum AgentResponse: Equatable {
    case done
    /// The keys; `nil` if the keychain is locked.
    case keys(AgentKeys?)
    case status([HeldKeychain])
    /// The agent already holds the keys of the maximum number of keychains.
    case full
    /// This version of the agent does not support the request.
    case refused
}

extension AgentRequest {
    package var encoded: [UInt8] {
        var writer = MessageWriter()
        switch self {
        case .hold(let id, let keys, let lifetime):
            writer.byte(1)
            writer.id(id)
            writer.keys(keys)
            writer.duration(lifetime.unlockPeriod)
            writer.duration(lifetime.idleTimeout)
            writer.duration(lifetime.absoluteTimeout)
        case .fetch(let id):
            writer.byte(2)
            writer.id(id)
        case .lock(let id):
            writer.byte(id == nil ? 4 : 3)
            id.map { writer.id($0) }
        case .status:
            writer.byte(5)
        }
        return writer.bytes
    }

    /// Decodes a request; returns `nil` for bytes that no client of this version writes.
    package init?(_ bytes: [UInt8]) {
        var reader = MessageReader(bytes)
        switch reader.byte() {
        case 1:
            guard let id = reader.id(), let keys = reader.keys(), let unlockPeriod = reader.duration() ?? nil,
                let idle = reader.duration(), let absolute = reader.duration()
            else { return nil }
            let lifetime = AgentLifetime(unlockPeriod: unlockPeriod, idleTimeout: idle, absoluteTimeout: absolute)
            self = .hold(id, keys, lifetime)
        case 2:
            guard let id = reader.id() else { return nil }
            self = .fetch(id)
        case 3:
            guard let id = reader.id() else { return nil }
            self = .lock(id)
        case 4: self = .lock(nil)
        case 5: self = .status
        default: return nil
        }
        guard reader.isAtEnd else { return nil }
    }
}

extension AgentResponse {
    package var encoded: [UInt8] {
        var writer = MessageWriter()
        switch self {
        case .done: writer.byte(1)
        case .keys(let keys?):
            writer.byte(2)
            writer.keys(keys)
        case .keys(nil): writer.byte(3)
        case .status(let keychains):
            writer.byte(4)
            for keychain in keychains {
                writer.id(keychain.id)
                writer.duration(keychain.unlockRemaining)
                writer.duration(keychain.remaining)
            }
        case .full: writer.byte(5)
        case .refused: writer.byte(6)
        }
        return writer.bytes
    }

    /// Decodes a response; returns `nil` for bytes that no agent of this version writes.
    package init?(_ bytes: [UInt8]) {
        var reader = MessageReader(bytes)
        switch reader.byte() {
        case 1: self = .done
        case 2:
            guard let keys = reader.keys() else { return nil }
            self = .keys(keys)
        case 3: self = .keys(nil)
        case 4:
            var keychains: [HeldKeychain] = []
            while !reader.isAtEnd {
                guard let id = reader.id(), let unlock = reader.duration(), let all = reader.duration() else {
                    return nil
                }
                keychains.append(HeldKeychain(id: id, unlockRemaining: unlock, remaining: all))
            }
            self = .status(keychains)
        case 5: self = .full
        case 6: self = .refused
        default: return nil
        }
        guard reader.isAtEnd else { return nil }
    }
}

/// Writes the fields of a message, numbers in big-endian order.
struct MessageWriter {
    private(set) var bytes: [UInt8] = []

    mutating func byte(_ value: UInt8) { bytes.append(value) }

    mutating func id(_ id: KeychainID) { bytes += id.bytes }

    mutating func keys(_ keys: AgentKeys) {
        secret(keys.afterFirstUnlock)
        secret(keys.whenUnlocked ?? Secret(utf8: []))
    }

    /// Writes whole seconds, rounded up; the maximum number means no duration.
    mutating func duration(_ duration: Duration?) {
        guard let (seconds, rest) = duration?.components else { return number(.max) }
        let wholeSeconds = min(UInt32(clamping: seconds), .max - 1)
        number(rest > 0 && wholeSeconds < .max - 1 ? wholeSeconds + 1 : wholeSeconds)
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

/// Reads the fields of a message; each method returns `nil` if the message does not contain the field.
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

    /// Reads a duration; the inner `nil` means no duration.
    mutating func duration() -> Duration?? {
        number().map { $0 == .max ? nil : .seconds(Int64($0)) }
    }

    private mutating func number() -> UInt32? { take(4).map { $0.reduce(0) { $0 << 8 | UInt32($1) } } }

    private mutating func secret() -> Secret? {
        guard let count = number(), count <= AgentKeys.maximumByteCount, var bytes = take(Int(count)) else {
            return nil
        }
        defer { bytes.erase() }
        return Secret(utf8: bytes)
    }

    private mutating func take(_ count: Int) -> [UInt8]? {
        guard count <= rest.count else { return nil }
        defer { rest.removeFirst(count) }
        return Array(rest.prefix(count))
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Pins of which a trusted path must satisfy one, in addition to everything else.
public struct PinSet: Hashable, Sendable, Codable {
    /// The consequence for a path that satisfies none of the pins.
    public enum Enforcement: String, Hashable, Sendable, Codable {
        /// The path is not trusted, and no handler can override that.
        case enforced
        /// The verdict has a remark. Use it to try out pins.
        case reportOnly
    }

    /// The pins in use.
    ///
    /// With neither pins nor backups, every path satisfies the set.
    public var pins: Set<Pin>
    /// The pins of backup keys (RFC 7469 section 4.3).
    ///
    /// They satisfy the set too, and the verdict remarks that one is in use.
    public var backups: Set<Pin>
    /// When the pins expire, so that an application without updates is not locked out for ever; `nil` for never.
    public var expiry: Date?
    /// The consequence for a path that satisfies none of the pins.
    public var enforcement: Enforcement

    /// Makes an empty set, which every path satisfies.
    public init() {
        self.init([] as Set)
    }

    /// Makes a set of pins; without arguments, an empty one, which every path satisfies.
    public init(
        _ pins: Set<Pin> = [], backups: Set<Pin> = [], expiry: Date? = nil, enforcement: Enforcement = .enforced
    ) {
        self.pins = pins
        self.backups = backups
        self.expiry = expiry
        self.enforcement = enforcement
    }

    /// Whether the set has no pins, so that every path satisfies it.
    public var isEmpty: Bool { pins.isEmpty && backups.isEmpty }

    /// Whether a path at this time must satisfy one of the pins to be trusted.
    public func isEnforced(at time: Date) -> Bool { enforcement == .enforced && binds(at: time) }

    func binds(at time: Date) -> Bool { !isEmpty && expiry.map { time < $0 } ?? true }
}

extension PinSet: ExpressibleByArrayLiteral {
    /// Makes a set of pins without backups and expiry.
    public init(arrayLiteral pins: Pin...) {
        self.init(Set(pins))
    }
}

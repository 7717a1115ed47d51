// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Pins of which a trusted path must satisfy one, in addition to everything else.
public struct PinSet: Hashable, Sendable, Codable {
    /// What a path without any of them comes to.
    public enum Enforcement: String, Hashable, Sendable, Codable {
        /// It is not trusted, and no handler can overrule that.
        case enforced
        /// The verdict remarks on it; that is how pins are tried out.
        case reportOnly
    }

    /// Pins in use; empty asks for nothing.
    public var pins: Set<Pin>
    /// Pins of keys kept in reserve: as good as the others, and the verdict remarks that one is in use (RFC 7469 section 4.3).
    public var backups: Set<Pin>
    /// From when on the pins no longer bind, so that an application without updates is not locked out for ever; `nil` for never.
    public var expiry: Date?
    /// What a path without any of them comes to.
    public var enforcement: Enforcement

    /// A set that asks for nothing.
    public init() {
        self.init([] as Set)
    }

    /// Makes a set.
    public init(
        _ pins: Set<Pin> = [], backups: Set<Pin> = [], expiry: Date? = nil, enforcement: Enforcement = .enforced
    ) {
        self.pins = pins
        self.backups = backups
        self.expiry = expiry
        self.enforcement = enforcement
    }

    /// Whether it asks for nothing.
    public var isEmpty: Bool { pins.isEmpty && backups.isEmpty }

    /// Whether a path at this time cannot be trusted without one of the pins.
    public func isEnforced(at time: Date) -> Bool { enforcement == .enforced && binds(at: time) }

    func binds(at time: Date) -> Bool { !isEmpty && expiry.map { time < $0 } ?? true }
}

extension PinSet: ExpressibleByArrayLiteral {
    /// Pins without reserve or end.
    public init(arrayLiteral pins: Pin...) {
        self.init(Set(pins))
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The authentication methods by which a server's challenges may be answered.
///
/// The methods are those of HTTP (RFC 9110 section 11.1) and of SOCKS (RFC 1928 section 3). The function `only(_:)` of module
/// `Challenges` makes a value with some of them.
public struct AllowedMethods: Hashable, Sendable, CustomStringConvertible {
    /// In lower case; `nil` for every method.
    package let names: Set<String>?

    /// - Parameter names: In lower case.
    package init(names: Set<String>) {
        self.names = names
    }

    private init() {
        names = nil
    }

    /// Every method.
    public static let all = Self()

    /// The names of the methods in alphabetical order, such as `basic, ntlm`; `all` for every method.
    public var description: String { names.map { $0.sorted().joined(separator: ", ") } ?? "all" }

    /// The methods that both allow.
    package func intersection(_ other: Self) -> Self {
        guard let names else { return other }
        return other.names.map { Self(names: names.intersection($0)) } ?? self
    }

    /// Whether every method here is allowed there too.
    package func isSubset(of other: Self) -> Bool {
        guard let others = other.names else { return true }
        return names?.isSubset(of: others) ?? false
    }
}

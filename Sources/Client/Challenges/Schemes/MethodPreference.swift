// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The methods of HTTP that a session answers, in the order in which it tries them.
///
/// The default order follows what an eavesdropper learns: with Negotiate and SCRAM nothing useful, with Digest and NTLM something to guess
/// the password from, with Bearer and Basic the credential itself.
public struct MethodPreference: Hashable, Sendable {
    /// The methods, the preferred one first.
    ///
    /// A method that is not listed is never answered, unless a program registers it in the session's ``AuthenticatorRegistry``. Such a
    /// method is tried before all others.
    public var order: [AuthenticationMethod]

    /// Whether a weaker method is tried after a server has rejected a credential by a stronger one; `false` by default.
    ///
    /// An attacker on the way can reject an answer to get a weaker one. If a handler rejects a protection space, the next method is tried
    /// in any case.
    public var allowsWeakerMethodAfterRejection: Bool

    /// Makes a preference; by default Negotiate, SCRAM, Digest (by the strength of its hash), NTLM, Bearer, Basic, and no weaker method
    /// after a rejection.
    public init(
        order: [AuthenticationMethod] = Self.strongestFirst, allowsWeakerMethodAfterRejection: Bool = false
    ) {
        self.order = order
        self.allowsWeakerMethodAfterRejection = allowsWeakerMethodAfterRejection
    }

    /// The default order: the strongest method first.
    public static let strongestFirst = KnownScheme.all.map(\.method)

    /// Returns the challenges that may be answered, in the order in which they are tried: Digest by the strength of its hash, equal ones in
    /// the server's order.
    ///
    /// - Parameter challenges: The challenges, in the order sent.
    /// - Returns: The challenges whose method is in ``order``.
    public func sorted(_ challenges: [HTTPChallenge]) -> [HTTPChallenge] {
        challenges.enumerated()
            .compactMap { offset, challenge in
                order.firstIndex(of: challenge.method).map {
                    (rank: ($0, challenge.digestWeakness, offset), challenge: challenge)
                }
            }
            .sorted { $0.rank < $1.rank }
            .map(\.challenge)
    }

    /// Whether one method comes after another.
    package func isWeaker(_ method: AuthenticationMethod, than other: AuthenticationMethod) -> Bool {
        guard let rank = order.firstIndex(of: method), let otherRank = order.firstIndex(of: other) else { return false }
        return rank > otherRank
    }
}

extension HTTPChallenge {
    fileprivate var digestWeakness: Int {
        guard method == .digest else { return 0 }
        return DigestAlgorithm(self["algorithm"])?.weakness ?? .max
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Which methods of HTTP are answered, and in which order they are tried.
///
/// What an eavesdropper learns decides the default: nothing that helps from Negotiate and SCRAM, something to guess passwords from
/// with Digest and NTLM, all of it from Bearer and Basic.
public struct MethodPreference: Hashable, Sendable {
    /// The first is tried first; a method that is not listed is never answered, unless a scheme is registered for it: those come first.
    public var order: [AuthenticationMethod]

    /// Whether a weaker method is tried once a server has rejected a credential by a stronger one; `false` unless said otherwise.
    ///
    /// Someone on the way can reject an answer to be given a weaker one. A handler that rejects a protection space asks for the
    /// next method in any case.
    public var allowsWeakerMethodAfterRejection: Bool

    /// Negotiate, SCRAM, Digest (by the strength of its hash), NTLM, Bearer, Basic; no weaker method after a rejection.
    public init(
        order: [AuthenticationMethod] = Self.strongestFirst, allowsWeakerMethodAfterRejection: Bool = false
    ) {
        self.order = order
        self.allowsWeakerMethodAfterRejection = allowsWeakerMethodAfterRejection
    }

    /// The default order: the strongest method first.
    public static let strongestFirst = KnownScheme.all.map(\.method)

    /// The challenges that may be answered, as they are tried: Digest by the strength of its hash, equals in the server's order.
    ///
    /// - Parameter challenges: As sent.
    /// - Returns: Without those whose method is not listed.
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

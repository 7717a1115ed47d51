public struct SpaceScope: Sendable {
    public init(challengedTarget: String, challenge: HTTPChallenge) {}
    public func contains(_ target: String) -> Bool { true }
    public var depth: Int { 0 }
}
public enum HTTPAuthenticators {
    public static func authenticator(for challenge: HTTPChallenge) throws(HTTPAuthenticatorError) -> (any HTTPAuthenticator)? { nil }
}
extension HTTPChallenge {
    public static func strongestFirst(_ challenges: [HTTPChallenge]) -> [HTTPChallenge] { challenges }
    public var realm: String? { nil }
    public var isStale: Bool { false }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if Negotiate
    import CGSSAPI
    public import Challenges
    import Encodings

    /// The Negotiate scheme (RFC 4559): Kerberos through SPNEGO (RFC 4178), with the system's GSSAPI.
    ///
    /// Each value performs one exchange, which authenticates one connection.
    ///
    /// The credential is `Credential.Kind.currentUser`, or a principal with its password.
    /// Mutual authentication is requested.
    public struct HTTPNegotiateAuthenticator: HTTPAuthenticator {
        private enum Stage {
            case opening
            case awaiting(SecurityContext)
            case answering(SecurityContext, token: [UInt8])
            case complete
        }

        /// The maximum size of a received or sent token, in bytes: the maximum of Windows,
        /// which in base64 fits in a head.
        private static let tokenLimit = 48_000
        /// The maximum number of tokens that one exchange sends; Kerberos needs one or two.
        private static let tokenCountLimit = 8

        private let delegation: Delegation
        private let serverProof: ServerProof
        private var stage = Stage.opening
        private var tokenCount = 0

        /// Starts an exchange, which needs no data from the challenge.
        ///
        /// A token in the challenge belongs to an earlier exchange that the server has rejected.
        ///
        /// - Parameters:
        ///   - delegation: Whether the server may act on behalf of the client; by default it may not.
        ///   - serverProof: Whether the server must prove, when it accepts the client, that it has the service's key;
        ///     by default it must.
        public init(delegation: Delegation = .none, serverProof: ServerProof = .required) {
            self.delegation = delegation
            self.serverProof = serverProof
        }

        /// Returns a factory for the authenticators of a session:
        /// `configuration.authenticators[.negotiate] = HTTPNegotiateAuthenticator.factory()`.
        ///
        /// - Parameters:
        ///   - delegation: Whether servers may act on behalf of the client; by default they may not.
        ///   - serverProof: Whether a server must prove, when it accepts the client, that it has the service's key; by
        ///     default it must.
        /// - Returns: A closure for an `AuthenticatorRegistry`, which never throws.
        public static func factory(
            delegation: Delegation = .none, serverProof: ServerProof = .required
        ) -> AuthenticatorRegistry.Factory {
            { _ throws(HTTPAuthenticatorError) in
                HTTPNegotiateAuthenticator(delegation: delegation, serverProof: serverProof)
            }
        }

        /// Always `true`: the system contacts the realm's key distribution centre over the network.
        public var mayBlock: Bool { true }

        /// Returns the field with the first token or, after a token of the server, with the next token.
        ///
        /// - Throws: `HTTPAuthenticatorError.mechanism(_:)` with the message of the system's GSSAPI, for example if
        ///   there is no ticket, or if a token is too large; `HTTPAuthenticatorError.malformedServerMessage` if the
        ///   exchange has too many tokens; `HTTPAuthenticatorError.controlCharacter(_:)` for control characters in the
        ///   user or the host; `HTTPAuthenticatorError.unsuitableCredential(_:)` for another kind of credential.
        public mutating func authorization(
            with credential: Credential, for request: RequestFacts
        ) throws(HTTPAuthenticatorError) -> String {
            if case .answering(let context, let token) = stage {
                stage = .awaiting(context)
                return try field(token)
            }
            let context = try SecurityContext(for: request, credential: credential, delegation: delegation)
            guard let token = try context.answer(to: nil).token else { throw .malformedServerMessage }
            stage = .awaiting(context)
            tokenCount = 0
            return try field(token)
        }

        /// Reads the server's token, and prepares the next one.
        ///
        /// A challenge without a token rejects the client.
        ///
        /// - Throws: `HTTPAuthenticatorError.malformedServerMessage` for a token that cannot be decoded or is too
        ///   large; `HTTPAuthenticatorError.mechanism(_:)` with the message of the system's GSSAPI if it rejects
        ///   the token.
        public mutating func advance(
            with challenge: HTTPChallenge, credential: Credential
        ) throws(HTTPAuthenticatorError) -> Bool {
            guard case .awaiting(let context) = stage, let token = challenge.token68 else { return false }
            let step = try context.answer(to: try Self.decoded(token))
            // A 401 with a final token: the server accepted the ticket, but its owner has no access.
            guard let next = step.token else {
                stage = .complete
                return false
            }
            stage = .answering(context, token: next)
            return true
        }

        /// Checks the server's last token, which comes with the response that accepts the client (RFC 4559 section 5).
        ///
        /// - Throws: `HTTPAuthenticatorError.wrongServerProof` if the token is wrong, or if it is missing and required.
        public mutating func receive(
            _ response: AcceptedResponse, with credential: Credential
        ) throws(HTTPAuthenticatorError) -> Bool {
            guard case .awaiting(let context) = stage else { return false }
            stage = .complete
            guard let token = response.challenge?.token68 else {
                guard serverProof == .checkedIfSent else { throw .wrongServerProof }
                return false
            }
            guard let step = try? context.answer(to: Self.decoded(token)), step.isComplete, step.isMutual else {
                throw .wrongServerProof
            }
            return false
        }

        private mutating func field(_ token: [UInt8]) throws(HTTPAuthenticatorError) -> String {
            tokenCount += 1
            guard tokenCount <= Self.tokenCountLimit else { throw .malformedServerMessage }
            guard token.count <= Self.tokenLimit else { throw .mechanism("a token of \(token.count) bytes") }
            return "Negotiate " + Base64.encode(token)
        }

        private static func decoded(_ token: String) throws(HTTPAuthenticatorError) -> [UInt8] {
            guard let bytes = Base64.decode(token, as: .mime), !bytes.isEmpty, bytes.count <= tokenLimit else {
                throw .malformedServerMessage
            }
            return bytes
        }
    }

    /// Whether a server must prove, when it accepts the client, that it has the service's key (mutual authentication,
    /// RFC 4121).
    @nonexhaustive
    public enum ServerProof: Hashable, Sendable {
        /// A response without a proof, or with a wrong proof, is rejected.
        case required
        /// Only a response with a wrong proof is rejected. Some servers send no proof; over https, the certificate has
        /// already authenticated them.
        case checkedIfSent
    }

    /// Whether a server may act on behalf of the client when it contacts other servers.
    @nonexhaustive
    public enum Delegation: Hashable, Sendable {
        /// The server may not act on behalf of the client.
        case none
        /// The server may act on behalf of the client if the realm's administrators have marked the service as trusted
        /// for delegation (RFC 5896).
        case ifRealmTrustsServer
        /// The server receives the client's own ticket, with all of the client's rights (RFC 4121 section 4.1.1).
        case unrestricted

        var flag: OM_uint32 {
            switch self {
            case .none: 0
            case .ifRealmTrustsServer: OM_uint32(GSS_C_DELEG_POLICY_FLAG)
            case .unrestricted: OM_uint32(GSS_C_DELEG_FLAG)
            }
        }
    }
#endif

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import EssentialFoundation

/// The NTLM scheme (MS-NTHT), version 2 only.
///
/// Each value performs one exchange, which authenticates one connection.
public struct HTTPNTLMAuthenticator: HTTPAuthenticator {
    private enum Step {
        case opening
        case negotiating(NTLMExchange)
        case answering(field: String)
        case answered
    }

    private var step = Step.opening
    /// Whether the messages are sent under the scheme Negotiate, whose servers accept them too.
    private var usesNegotiate = false

    /// Starts a preemptive exchange, before the server has sent a challenge.
    public init() {}

    /// Starts an exchange for a challenge of NTLM or of Negotiate (MS-SPNG); the result is `nil` for a challenge with a
    /// message, which belongs to a running exchange.
    public init?(_ challenge: HTTPChallenge) {
        guard challenge.token68 == nil else { return nil }
        usesNegotiate = challenge.method == .negotiate
    }

    /// Whether the last answer was the negotiation message, which the server never accepts alone.
    public var withholdsBody: Bool {
        if case .negotiating = step { true } else { false }
    }

    /// Returns the negotiation message or, after ``advance(with:credential:)`` has read the server's challenge, the
    /// proof of the password.
    ///
    /// - Throws: ``HTTPAuthenticatorError/ntlm(_:)`` for a user or password that cannot be sent;
    ///   ``HTTPAuthenticatorError/unsuitableCredential(_:)`` for another kind of credential.
    public mutating func authorization(
        with credential: Credential, for request: RequestFacts
    ) throws(HTTPAuthenticatorError) -> String {
        guard case .password(let user, let password) = credential.kind else { throw .unsuitableCredential(.ntlm) }
        if case .answering(let field) = step {
            step = .answered
            return field
        }
        do {
            var exchange = try NTLMExchange(
                user: user, password: password, service: "HTTP/" + request.host,
                channelBinding: request.channelBinding)
            exchange.usesNegotiate = usesNegotiate
            let token = exchange.negotiateToken()
            step = .negotiating(exchange)
            return exchange.field(token)
        } catch {
            throw .ntlm(error)
        }
    }

    /// Reads the server's challenge, and prepares the answer.
    ///
    /// A challenge without a message rejects the proof, and so does one of Negotiate with the state `reject`.
    ///
    /// - Throws: ``HTTPAuthenticatorError/ntlm(_:)`` for a challenge that is missing, malformed,
    ///   too weak or out of turn.
    public mutating func advance(
        with challenge: HTTPChallenge, credential: Credential
    ) throws(HTTPAuthenticatorError) -> Bool {
        switch step {
        case .negotiating(var exchange):
            do {
                let action = try exchange.receive(
                    challenge, at: Date(), clientChallenge: .random(in: .min ... .max))
                guard case .send(let field) = action else { return false }
                step = .answering(field: field)
                return true
            } catch {
                throw .ntlm(error)
            }
        case .answered where challenge.token68 != nil && !challenge.isRejection:
            throw .ntlm(.outOfTurn)
        default:
            return false
        }
    }
}

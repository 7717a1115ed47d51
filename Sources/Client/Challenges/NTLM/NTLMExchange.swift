// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Encodings
public import EssentialFoundation
public import Secrets

/// One NTLMv2 exchange (MS-NLMP), which proves the password and authenticates one connection until its end.
///
/// It sends three messages over the same connection, without other requests between them: the negotiation, the server's
/// challenge and the answer. LM, LMv2 and NTLMv1 answers are never sent. Each connection needs a new value.
public struct NTLMExchange: Sendable {
    enum Stage: Hashable {
        case start
        case negotiated
        case answered
        case over
    }

    private let account: NTLMAccount
    private let responseKey: NTLMKey
    private let workstation: String
    private let service: [UInt8]
    private let channelBinding: ChannelBinding?
    var stage = Stage.start
    /// Whether the messages are sent under the scheme Negotiate.
    var usesNegotiate = false

    /// Prepares an exchange, which stores a key derived from the password, but not the password.
    ///
    /// - Parameters:
    ///   - user: `DOMAIN\user`, `user@domain` (a user principal name, whose domain the server looks up) or `user`.
    ///   - password: The password in UTF-8, used without normalization.
    ///   - service: The name of the service: `HTTP/` and its host. A server may reject an answer for another service.
    ///   - channelBinding: The binding of the answer to the server's certificate; `nil` without TLS.
    ///   - workstation: A name of this machine; servers accept the empty default.
    /// - Throws: ``NTLMError/emptyUser``, ``NTLMError/passwordNotUTF8`` or ``NTLMError/tooLong(_:)``.
    public init(
        user: String, password: Secret, service: String, channelBinding: ChannelBinding?, workstation: String = ""
    ) throws(NTLMError) {
        account = try NTLMAccount(user)
        let texts: [(NTLMError.Part, String)] = [
            (.user, account.user), (.domain, account.domain), (.service, service), (.workstation, workstation),
        ]
        for (part, text) in texts {
            guard text.utf16.count <= UInt16.max / 2 else { throw .tooLong(part) }
        }
        responseKey = try NTLMKey(account: account, password: password)
        self.workstation = workstation
        self.service = Array(utf16: service)
        self.channelBinding = channelBinding
    }

    /// Returns the first message (NEGOTIATE_MESSAGE, "type 1", MS-NLMP section 2.2.1.1), which contains neither the
    /// user nor this machine's name.
    public mutating func negotiateToken() -> [UInt8] {
        if stage == .start { stage = .negotiated }
        return Self.negotiation
    }

    /// The negotiation message, without a domain, a workstation or a version.
    private static let negotiation: [UInt8] = {
        var message = NTLMChallengeMessage.signature
        message.append(littleEndian: UInt32(1))
        message.append(littleEndian: NTLMFlags.requested.rawValue)
        return message + [UInt8](repeating: 0, count: 24)
    }()

    /// Returns the last message, which proves the password (AUTHENTICATE_MESSAGE, "type 3", MS-NLMP section 3.1.5.1.2).
    ///
    /// - Parameters:
    ///   - challenge: The server's CHALLENGE_MESSAGE ("type 2"), without base64.
    ///   - time: The current time, which is used if the server does not send its own time.
    ///   - clientChallenge: A random 64-bit number that was never used before.
    /// - Returns: The message. The server's next response accepts or rejects it.
    /// - Throws: ``NTLMError`` for a challenge that is malformed, too weak or out of turn.
    public mutating func authenticate(
        answering challenge: [UInt8], at time: Date, clientChallenge: UInt64
    ) throws(NTLMError) -> [UInt8] {
        guard stage == .negotiated else { throw .outOfTurn }
        stage = .over
        let question = try NTLMChallengeMessage(challenge)
        try question.checkFeatures()
        let serverTime = question.targetInformation?[.timestamp]
        let response = NTLMResponse(
            to: question.serverChallenge, key: responseKey, time: serverTime ?? time.fileTime,
            clientChallenge: clientChallenge,
            targetInformation: targetInformation(from: question, isProtected: serverTime != nil))
        let message = NTLMAuthenticateMessage(
            flags: Self.answeredFlags(to: question), account: account, workstation: workstation,
            response: response.bytes)
        let makeCode = { response.sessionKey.code(Self.negotiation, challenge, $0) }
        let token = try message.encoded(withCode: serverTime == nil ? nil : makeCode)
        stage = .answered
        return token
    }

    /// Returns the flags that both sides support; a server without target information receives a message without
    /// integrity code.
    private static func answeredFlags(to question: NTLMChallengeMessage) -> NTLMFlags {
        let shared = NTLMFlags.requested.intersection(question.flags)
        return question.targetInformation == nil ? shared.subtracting(.alwaysSign) : shared
    }

    /// Returns the server's attributes together with the client's own.
    ///
    /// The binding and the name are added even if the server sent no attributes: otherwise an attacker who removes them
    /// from a challenge receives an answer that is valid for any server. Without TLS the binding is omitted, because
    /// some servers accept sixteen zeros as a binding; a binding from the server is dropped.
    private func targetInformation(
        from question: NTLMChallengeMessage, isProtected: Bool
    ) -> NTLMTargetInformation {
        var information = question.targetInformation ?? NTLMTargetInformation()
        if isProtected {
            let flags = information[.flags]?.littleEndian(UInt32.self, at: 0) ?? 0
            var value: [UInt8] = []
            value.append(littleEndian: flags | 2)
            information[.flags] = value
        }
        information[.channelBindings] = channelBinding?.windowsHash
        information[.targetName] = service
        return information
    }
}

extension NTLMExchange {
    /// The client's next action on the connection of a challenge.
    public enum Action: Hashable, Sendable {
        /// Send the request again, on this connection, with this value of `Authorization` or `Proxy-Authorization`.
        ///
        /// No other request may use the connection before the exchange is complete, and afterwards only requests with
        /// the same credential may. A connection that ends or is replaced in between needs a new exchange.
        case send(field: String)
        /// The server rejected the credential. Close the connection.
        case refused
    }

    /// Reads the challenge of a 401 or a 407.
    ///
    /// Any other status after the answer means that the server accepted the answer.
    ///
    /// - Parameters:
    ///   - challenge: The challenge of the `NTLM` scheme (MS-NTHT section 2.2): without a token the first time, with
    ///     one the second time.
    ///   - time: The current time, which is used if the server does not send its own time.
    ///   - clientChallenge: A random 64-bit number that was never used before.
    /// - Returns: The next action on the connection.
    /// - Throws: ``NTLMError``; the connection must then be closed.
    public mutating func receive(
        _ challenge: HTTPChallenge, at time: Date, clientChallenge: UInt64
    ) throws(NTLMError) -> Action {
        switch (stage, challenge.token68) {
        case (.start, nil):
            return .send(field: field(negotiateToken()))
        case (.negotiated, let token?):
            guard let message = Base64.decode(token, as: .mime) else {
                stage = .over
                throw .malformedToken
            }
            return .send(
                field: field(try authenticate(answering: message, at: time, clientChallenge: clientChallenge)))
        case (.negotiated, nil):
            stage = .over
            throw .missingChallenge
        case (.answered, nil):
            stage = .over
            return .refused
        case (.start, _?), (.answered, _?), (.over, _):
            stage = .over
            throw .outOfTurn
        }
    }

    func field(_ message: [UInt8]) -> String {
        (usesNegotiate ? "Negotiate " : "NTLM ") + Base64.encode(message)
    }
}

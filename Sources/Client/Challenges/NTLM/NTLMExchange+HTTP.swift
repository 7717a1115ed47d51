// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension NTLMExchange {
    /// What the client does with the connection that brought a challenge.
    public enum Action: Hashable, Sendable {
        /// Send the request again, on this connection, with this value of `Authorization` or `Proxy-Authorization`.
        ///
        /// No other request may use the connection before the exchange is complete, and afterwards only requests with the same credential
        /// may. A connection that ends or is replaced in between needs a new exchange.
        case send(field: String)
        /// The server rejected the credential. Close the connection.
        case refused
    }

    /// Reads the challenge of a 401 or a 407.
    ///
    /// Any other status after the answer means that the server accepted the answer.
    ///
    /// - Parameters:
    ///   - challenge: The challenge of the scheme `NTLM` (MS-NTHT section 2.2): without a token the first time, with one the second time.
    ///   - time: The present, which is used where the server does not send its own time.
    ///   - clientChallenge: A random number of 64 bits that was never used before.
    /// - Returns: What to do with the connection.
    /// - Throws: ``NTLMError``; the connection must then be closed.
    public mutating func receive(
        _ challenge: HTTPChallenge, at time: Date, clientChallenge: UInt64
    ) throws(NTLMError) -> Action {
        switch (stage, challenge.token68) {
        case (.start, nil):
            return .send(field: Self.field(negotiateToken()))
        case (.negotiated, let token?):
            guard let message = Data(base64Encoded: token) else {
                stage = .over
                throw .malformedToken
            }
            return .send(
                field: Self.field(
                    try authenticate(answering: Array(message), at: time, clientChallenge: clientChallenge)))
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

    static func field(_ message: [UInt8]) -> String {
        "NTLM " + Data(message).base64EncodedString()
    }
}

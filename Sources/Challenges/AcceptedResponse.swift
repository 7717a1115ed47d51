// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// What a server says with the response that let a request through.
public struct AcceptedResponse: Sendable {
    /// Of itself and of the next request (RFC 7615); `nil` where it says nothing.
    public let information: HTTPAuthenticationInfo?
    /// The last step of the scheme's exchange, which comes in a challenge's field though nothing is challenged any more (RFC 4559
    /// section 5); `nil` where there is none.
    public let challenge: HTTPChallenge?
    /// The whole content where ``HTTPAuthenticator/checksResponseBody`` asks for it, otherwise `nil`.
    public let body: [UInt8]?

    /// What is known of one response.
    public init(information: HTTPAuthenticationInfo? = nil, challenge: HTTPChallenge? = nil, body: [UInt8]? = nil) {
        self.information = information
        self.challenge = challenge
        self.body = body
    }
}

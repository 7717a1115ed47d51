// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// What a scheme may have to know of the request that it answers for.
public struct RequestFacts: Hashable, Sendable {
    /// The request's method, as sent.
    public let method: String
    /// The request-target: path and query, or for CONNECT the authority.
    public let target: String
    /// What will be sent as content, empty for none; `nil` where it is streamed and not known beforehand.
    public let body: [UInt8]?
    /// The host that asks, by the name that it is known by: an origin's, or a proxy's.
    public let host: String
    /// What ties an answer to the TLS connection to the one that asks; `nil` without TLS.
    public let channelBinding: ChannelBinding?

    /// The facts of one request.
    ///
    /// - Parameters:
    ///   - method: As sent.
    ///   - target: Path and query, or for CONNECT the authority.
    ///   - body: The whole content, empty for none; `nil` where it is streamed.
    ///   - host: Of the one that asks.
    ///   - channelBinding: Of the connection that the answer is for.
    public init(
        method: String, target: String, body: [UInt8]? = [], host: String = "", channelBinding: ChannelBinding? = nil
    ) {
        self.method = method
        self.target = target
        self.body = body
        self.host = host
        self.channelBinding = channelBinding
    }
}

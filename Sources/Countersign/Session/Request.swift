// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust
public import HTTPTypes

/// One request, complete with what it asks of the server's trust.
public struct Request: Sendable {
    /// An absolute URL of `http` or `https`.
    public var url: String
    /// GET unless said otherwise.
    public var method: HTTPRequest.Method
    /// Sent as they are; a field `Authorization` here is left alone, and no challenge is answered then.
    public var headerFields: HTTPFields
    /// Sent again after a challenge, where it can be; `nil` for none.
    public var body: RequestBody?
    /// Overrides the session's for this request; connections opened under another policy are not used.
    public var trust: TrustPolicy?

    /// A request; with a URL alone, a GET.
    public init(
        url: String, method: HTTPRequest.Method = .get, headerFields: HTTPFields = [:], body: RequestBody? = nil,
        trust: TrustPolicy? = nil
    ) {
        self.url = url
        self.method = method
        self.headerFields = headerFields
        self.body = body
        self.trust = trust
    }
}

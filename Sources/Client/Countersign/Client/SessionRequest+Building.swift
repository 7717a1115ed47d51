// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust
public import Challenges
public import EssentialFoundation
public import HTTPTypes
public import Secrets

/// Methods that return a modified copy of a request, so that calls can be chained.
extension SessionRequest {
    /// Returns the request with a header field, which replaces all fields of that name.
    ///
    /// - Parameters:
    ///   - name: The name of the field.
    ///   - value: The value of the field; `nil` removes the field. If it contains CR, LF or NUL, sending the request
    ///     fails with ``RequestError/forbiddenCharacter(_:)``.
    /// - Returns: The request with the field.
    public func header(_ name: HTTPField.Name, _ value: String?) -> SessionRequest {
        changed { request in
            request.explicitFields[name] = value
            if value?.isOneLine == false { request.forbiddenText = .field(name.rawName) }
        }
    }

    /// Returns the request with items appended to the query of its URL.
    ///
    /// - Parameter items: Names and values in the order sent. The method percent-encodes them (RFC 3986 section 2.1). A
    ///   name may be repeated.
    /// - Returns: The request with the items.
    public func query(_ items: KeyValuePairs<String, String>) -> SessionRequest {
        items.reduce(self) { $0.query($1.key, $1.value) }
    }

    /// Returns the request with an item appended to the query of its URL.
    ///
    /// - Parameters:
    ///   - name: The name, which the method percent-encodes (RFC 3986 section 2.1).
    ///   - value: The value, which the method percent-encodes; `nil` for a name without a value.
    /// - Returns: The request with the item.
    public func query(_ name: String, _ value: String?) -> SessionRequest {
        changed { $0.url = $0.url.appendingQuery(name, value) }
    }

    /// Returns the request with another host in its `Host` field, or in `:authority` over HTTP/2 (RFC 9110 section
    /// 7.2), for a server that distinguishes its sites by it.
    ///
    /// The connection, the server's certificate, cookies and credentials are still those of the URL's host. A redirect
    /// to another host is sent with the host of its URL. A proxy that forwards the request gets the URL's host, because
    /// it would ignore the field (RFC 9112 section 3.2.2).
    ///
    /// - Parameters:
    ///   - host: The host.
    ///   - port: The port, from 1 to 65,535; `nil` for none.
    /// - Returns: The request with the host.
    public func host(_ host: HostName, port: Int? = nil) -> SessionRequest {
        let endpoint = HostEndpoint(host: host, port: port ?? 0)
        return changed { $0.authority = port == nil ? endpoint.hostInURL : endpoint.description }
    }

    /// Returns the request with a body, which replaces its current body.
    ///
    /// - Parameter body: The body to send; `nil` for none.
    /// - Returns: The request with the body.
    public func body(_ body: SessionRequestBody?) -> SessionRequest {
        changed { $0.body = body }
    }

    /// Returns the request with a value as its body, encoded as JSON; see ``SessionRequestBody/json(_:encoder:)``.
    ///
    /// - Parameters:
    ///   - value: The value to send.
    ///   - encoder: The encoder, which determines how dates and keys are written.
    /// - Returns: The request with the body.
    /// - Throws: `EncodingError`, and any error that the value's own encoding throws.
    public func json(_ value: some Encodable, encoder: JSONEncoder = JSONEncoder()) throws -> SessionRequest {
        body(try .json(value, encoder: encoder))
    }

    /// Returns the request with form items as its body, encoded as browsers send a form without files.
    ///
    /// - Parameter items: Names and values in the order sent. A name may be repeated.
    /// - Returns: The request with the body.
    public func form(_ items: KeyValuePairs<String, String>) -> SessionRequest {
        body(.form(items))
    }

    /// Returns the request for an event stream, with the header fields of the HTML standard (section 9.2).
    ///
    /// The fields are `Accept: text/event-stream`, `Cache-Control: no-cache`, and `Last-Event-ID` if there is an ID.
    ///
    /// - Parameter lastEventID: The ID of the last event that was received, such as
    ///   ``SessionResponseBody/Events/AsyncIterator/lastEventID``; `nil` or empty for none.
    /// - Returns: The request with the fields.
    public func eventStream(after lastEventID: String? = nil) -> SessionRequest {
        let request = header(.accept, MediaType.eventStream.essence).header(.cacheControl, "no-cache")
        guard let lastEventID, !lastEventID.isEmpty, let name = HTTPField.Name("Last-Event-ID") else { return request }
        return request.header(name, lastEventID)
    }

    /// Returns the request with a credential for challenges of the URL's origin.
    ///
    /// The strongest method offered is used.
    ///
    /// - Parameter credential: The credential. It is sent after a challenge, or before one if it was made with
    ///   `sending(.immediately)`.
    /// - Returns: The request with the credential.
    public func credential(_ credential: Credential) -> SessionRequest {
        changed { request in
            request.credential = credential
            request.preemptiveMethod = nil
        }
    }

    /// Returns the request with a user name and a password for preemptive Basic authentication (RFC 7617).
    ///
    /// The server receives the password itself; over plain http, every observer on the network path can read it too.
    /// ``credential(_:)`` waits for the challenge, and answers it by the strongest method that the server offers.
    ///
    /// - Parameters:
    ///   - user: The user name. If it contains a colon, sending the request fails with
    ///     ``HTTPAuthenticationError/unanswerableChallenge(_:_:)``.
    ///   - password: The password.
    /// - Returns: The request with the credential.
    public func basic(user: String, password: Secret) -> SessionRequest {
        changed { request in
            request.credential = .password(user: user, password: password)
            request.preemptiveMethod = .basic
        }
    }

    /// Returns the request with a bearer token, which is sent preemptively (RFC 6750).
    ///
    /// - Parameter token: The token.
    /// - Returns: The request with the token.
    public func bearer(_ token: Secret) -> SessionRequest {
        changed { request in
            request.credential = .token(token)
            request.preemptiveMethod = .bearer
        }
    }

    /// Returns the request with a trust policy, which replaces the session's policy.
    ///
    /// - Parameter policy: The trust policy of this request.
    /// - Returns: The request with the policy.
    public func trust(_ policy: TrustPolicy) -> SessionRequest {
        changed { $0.trust = policy }
    }

    /// Returns the request with time limits, which replace those of the session.
    ///
    /// A request that takes longer fails with ``LimitError/timedOut(_:_:after:setting:)``.
    ///
    /// - Parameters:
    ///   - total: The limit of everything from the first connection to the last byte of the response, including
    ///     redirects, challenges and retries; `nil` for ``HTTPSession/Configuration/totalTimeout``.
    ///   - attempt: The limit of each attempt, after which an idempotent request is sent again if ``retries(_:)`` or
    ///     the session allows it; `nil` for ``HTTPSession/Configuration/attemptTimeout``.
    /// - Returns: The request with the limits.
    public func timeout(total: Duration? = nil, attempt: Duration? = nil) -> SessionRequest {
        changed { ($0.totalTimeout, $0.attemptTimeout) = (total, attempt) }
    }

    /// Returns the request with a timeout for opening a TCP connection.
    ///
    /// - Parameter duration: The timeout, which replaces ``HTTPSession/Configuration/connectTimeout``. If it passes, the
    ///   request fails with ``ConnectionError/cannotConnect(_:_:)``.
    /// - Returns: The request with the timeout.
    public func connectTimeout(_ duration: Duration) -> SessionRequest {
        changed { $0.connectTimeout = duration }
    }

    /// Returns the request with a timeout for the silence of the connection while the session waits for the response.
    ///
    /// - Parameter duration: The timeout, which replaces ``HTTPSession/Configuration/idleTimeout``. A request whose server
    ///   is silent for longer fails with ``LimitError/timedOut(_:_:after:setting:)``.
    /// - Returns: The request with the timeout.
    public func idleTimeout(_ duration: Duration) -> SessionRequest {
        changed { $0.idleTimeout = duration }
    }

    /// Returns the request with a retry policy.
    ///
    /// - Parameter policy: The policy, which replaces ``HTTPSession/Configuration/retries``.
    /// - Returns: The request with the policy.
    public func retries(_ policy: SessionRetryPolicy) -> SessionRequest {
        changed { $0.retries = policy }
    }

    private func changed(_ change: (inout SessionRequest) -> Void) -> SessionRequest {
        var request = self
        change(&request)
        return request
    }
}

/// Methods that make a request with a specific HTTP method.
extension SessionRequest {
    /// Makes a GET request for an absolute `http` or `https` URL.
    public static func get(_ url: String) -> SessionRequest { SessionRequest(url: url) }

    /// Makes a HEAD request: the response has the head that a GET would get, and no body.
    public static func head(_ url: String) -> SessionRequest { SessionRequest(url: url, method: .head) }

    /// Makes a POST request for an absolute `http` or `https` URL.
    public static func post(_ url: String) -> SessionRequest { SessionRequest(url: url, method: .post) }

    /// Makes a PUT request for an absolute `http` or `https` URL.
    public static func put(_ url: String) -> SessionRequest { SessionRequest(url: url, method: .put) }

    /// Makes a PATCH request (RFC 5789) for an absolute `http` or `https` URL.
    public static func patch(_ url: String) -> SessionRequest { SessionRequest(url: url, method: .patch) }

    /// Makes a DELETE request for an absolute `http` or `https` URL.
    public static func delete(_ url: String) -> SessionRequest { SessionRequest(url: url, method: .delete) }
}

/// Methods that make a request for a Foundation `URL`. A relative URL is resolved against its base.
extension SessionRequest {
    /// Makes a request; by default, a GET request without a body.
    ///
    /// - Parameters:
    ///   - url: An absolute `http` or `https` URL.
    ///   - method: The method of the request.
    ///   - headerFields: The fields to send.
    ///   - body: The body to send; `nil` for no body.
    public init(
        url: URL, method: HTTPRequest.Method = .get, headerFields: HTTPFields = [:], body: SessionRequestBody? = nil
    ) {
        self.init(url: url.absoluteString, method: method, headerFields: headerFields, body: body)
    }

    /// Makes a GET request for an absolute `http` or `https` URL.
    public static func get(_ url: URL) -> SessionRequest { .get(url.absoluteString) }

    /// Makes a HEAD request: the response has the head that a GET would get, and no body.
    public static func head(_ url: URL) -> SessionRequest { .head(url.absoluteString) }

    /// Makes a POST request for an absolute `http` or `https` URL.
    public static func post(_ url: URL) -> SessionRequest { .post(url.absoluteString) }

    /// Makes a PUT request for an absolute `http` or `https` URL.
    public static func put(_ url: URL) -> SessionRequest { .put(url.absoluteString) }

    /// Makes a PATCH request (RFC 5789) for an absolute `http` or `https` URL.
    public static func patch(_ url: URL) -> SessionRequest { .patch(url.absoluteString) }

    /// Makes a DELETE request for an absolute `http` or `https` URL.
    public static func delete(_ url: URL) -> SessionRequest { .delete(url.absoluteString) }
}

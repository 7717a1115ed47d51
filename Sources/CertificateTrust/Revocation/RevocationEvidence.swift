// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Lists and responses that tell whether certificates are revoked.
public struct RevocationEvidence: Hashable, Sendable {
    /// A response, and what its request had sent to be given back.
    public struct Response: Hashable, Sendable {
        /// The OCSP response.
        public let response: OCSPResponse
        /// The nonce of the request; `nil` where none was sent, as for a response that a server stapled.
        public let nonce: [UInt8]?

        /// Pairs a response with the nonce of its request.
        public init(_ response: OCSPResponse, nonce: [UInt8]? = nil) {
            self.response = response
            self.nonce = nonce
        }
    }

    /// Complete lists, of any issuers.
    public var lists: [CertificateRevocationList]
    /// Responses, about any certificates.
    public var responses: [Response]

    /// Gathers lists and responses.
    public init(lists: [CertificateRevocationList] = [], responses: [Response] = []) {
        self.lists = lists
        self.responses = responses
    }
}

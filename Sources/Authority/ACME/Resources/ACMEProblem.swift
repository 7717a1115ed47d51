// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A problem document (RFC 7807, with the types of RFC 8555 section 6.7).
public struct ACMEProblem: Codable, Hashable, Sendable {
    /// The type of a problem; a client handles an unknown type by its HTTP status.
    public struct Kind: RawRepresentable, Codable, Hashable, Sendable {
        /// The URI of the type.
        public let rawValue: String

        /// Creates a type with a URI.
        public init(rawValue: String) { self.rawValue = rawValue }

        private init(_ name: String) { rawValue = "urn:ietf:params:acme:error:" + name }

        /// There is no account with this key.
        public static let accountDoesNotExist = Self("accountDoesNotExist")
        /// An earlier order already replaces the certificate that this order names in `replaces` (RFC 9773
        /// section 7.4).
        public static let alreadyReplaced = Self("alreadyReplaced")
        /// The certificate was revoked before.
        public static let alreadyRevoked = Self("alreadyRevoked")
        /// The certificate request is not acceptable.
        public static let badCSR = Self("badCSR")
        /// The nonce was used before, is too old, or is from another server.
        ///
        /// The client retries with another nonce.
        public static let badNonce = Self("badNonce")
        /// The key is not supported.
        public static let badPublicKey = Self("badPublicKey")
        /// The revocation reason is not allowed.
        public static let badRevocationReason = Self("badRevocationReason")
        /// The signature algorithm is not supported.
        public static let badSignatureAlgorithm = Self("badSignatureAlgorithm")
        /// CAA records forbid issuance.
        public static let caa = Self("caa")
        /// There are several problems, listed in `subproblems`.
        public static let compound = Self("compound")
        /// The server could not connect to the host that it validates.
        public static let connection = Self("connection")
        /// A DNS query failed during validation.
        public static let dns = Self("dns")
        /// An external account is needed.
        public static let externalAccountRequired = Self("externalAccountRequired")
        /// The answer to a challenge is wrong.
        public static let incorrectResponse = Self("incorrectResponse")
        /// A contact URL is malformed.
        public static let invalidContact = Self("invalidContact")
        /// The directory does not have the profile.
        public static let invalidProfile = Self("invalidProfile")
        /// The request is malformed.
        public static let malformed = Self("malformed")
        /// The order cannot be finalized yet.
        public static let orderNotReady = Self("orderNotReady")
        /// There were too many requests.
        public static let rateLimited = Self("rateLimited")
        /// The authority does not issue certificates for the identifier.
        public static let rejectedIdentifier = Self("rejectedIdentifier")
        /// The server failed.
        public static let serverInternal = Self("serverInternal")
        /// TLS failed during validation.
        public static let tls = Self("tls")
        /// The client lacks authorization.
        public static let unauthorized = Self("unauthorized")
        /// The scheme of a contact URL is not supported.
        public static let unsupportedContact = Self("unsupportedContact")
        /// A kind of identifier is not supported.
        public static let unsupportedIdentifier = Self("unsupportedIdentifier")
        /// A person must visit the URL in `instance`.
        public static let userActionRequired = Self("userActionRequired")

        /// The last part of the URI, such as `badNonce`.
        public var name: String { String(rawValue.split(separator: ":").last ?? "") }
    }

    /// A problem with one of several identifiers (RFC 8555 section 6.7.1).
    public struct Part: Codable, Hashable, Sendable {
        /// The type of the problem.
        public var type: Kind
        /// The description for people.
        public var detail: String?
        /// The identifier; `nil` if the problem does not concern a single identifier.
        public var identifier: ACMEIdentifier?

        /// Creates a problem with an identifier.
        public init(_ type: Kind, _ detail: String?, identifier: ACMEIdentifier?) {
            (self.type, self.detail, self.identifier) = (type, detail, identifier)
        }
    }

    /// The type of the problem; `about:blank` if the server does not give one.
    public var type: Kind
    /// The description for people.
    public var detail: String?
    /// The HTTP status of the response; `nil` if the document does not repeat it.
    public var status: Int?
    /// The URL for a person to visit, such as the page of the terms of service.
    public var instance: String?
    /// The problems with individual identifiers.
    public var subproblems: [Part]?
    /// The supported algorithms, in a problem of type ``Kind/badSignatureAlgorithm`` (RFC 8555 section 6.2).
    public var algorithms: [JWSAlgorithm]?

    /// Creates a problem from its members.
    public init(
        _ type: Kind, _ detail: String? = nil, status: Int? = nil, subproblems: [Part]? = nil,
        algorithms: [JWSAlgorithm]? = nil
    ) {
        (self.type, self.detail, self.status) = (type, detail, status)
        (self.subproblems, self.algorithms) = (subproblems, algorithms)
    }

    private enum CodingKeys: String, CodingKey {
        case type, detail, status, instance, subproblems, algorithms
    }

    /// Reads a problem; a member that cannot be read counts as missing.
    ///
    /// - Parameter decoder: A decoder whose value is a JSON object.
    /// - Throws: `DecodingError` if the value is not an object.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        type = (try? values.decode(Kind.self, forKey: .type)) ?? Kind(rawValue: "about:blank")
        detail = try? values.decode(String.self, forKey: .detail)
        status = try? values.decode(Int.self, forKey: .status)
        instance = try? values.decode(String.self, forKey: .instance)
        subproblems = try? values.decode([Part].self, forKey: .subproblems)
        algorithms = try? values.decode([JWSAlgorithm].self, forKey: .algorithms)
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import Countersign
public import XMLDocuments

/// The options of a client for writing requests and reading responses.
public struct SOAPOptions: Sendable {
    /// The location of a request's binary values (`base64Binary`).
    @nonexhaustive
    public enum Binaries: Hashable, Sendable {
        /// The envelope contains binary values in Base64.
        case inline
        /// Binary values of this many bytes or more are sent as attachments (MTOM). Smaller ones stay in the envelope.
        case attached(from: Int)

        /// Binary values of 1,024 bytes or more are sent as attachments (MTOM).
        public static let mtom = Self.attached(from: 1024)
    }

    /// The location of a request's binary values; ``Binaries/inline`` by default.
    ///
    /// If the client has a signer, binary values always stay in the envelope, so that they are signed too.
    public var binaries = Binaries.inline
    /// The strictness of the comparison of a response with its schema; `XMLReadingOptions.strict` by default.
    public var reading = XMLReadingOptions.strict
    /// The limits of an envelope; 64 MiB and a depth of 256 by default.
    public var documentLimits = XMLLimits()
    /// The limits of a multipart response and its attachments.
    public var multipartLimits = MultipartLimits()
    /// The names of the response headers that the caller processes; none by default.
    ///
    /// A response with any other header that must be understood fails with ``SOAPClientError/notUnderstood(_:)``.
    public var understoodHeaders: Set<XMLName> = []
    /// Whether responses with unknown headers that must be understood are accepted; `false` by default.
    public var ignoresUnknownHeaders = false
    /// The timeout of a call in total; `nil`, the default, for the session's timeout.
    public var timeout: Duration?
    /// The HTTP header fields of every request; none by default.
    ///
    /// The client sets `Content-Type` and `SOAPAction`.
    public var headerFields: HTTPFields = [:]

    /// Creates the default options.
    public init() {}
}

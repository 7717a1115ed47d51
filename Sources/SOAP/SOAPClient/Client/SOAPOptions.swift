// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import Countersign
public import XMLDocuments

/// How a client writes requests and reads responses.
public struct SOAPOptions: Sendable {
    /// The place of a request's binary values (`base64Binary`).
    public enum Binaries: Hashable, Sendable {
        /// Binary values stand in the envelope, in Base64.
        case inline
        /// Binary values of this many bytes or more are sent beside the envelope (MTOM). Smaller ones stay in it.
        case attached(from: Int)

        /// Binary values of 1,024 bytes or more are sent beside the envelope (MTOM).
        public static let mtom = Self.attached(from: 1024)
    }

    /// The place of a request's binary values; ``Binaries/inline`` by default.
    ///
    /// Where the client has a signer, they always stay in the envelope, so that they are signed too.
    public var binaries = Binaries.inline
    /// How strictly a response is compared with its schema; `XMLReadingOptions.strict` by default.
    public var reading = XMLReadingOptions.strict
    /// The limits of an envelope; 64 MiB and a depth of 256 by default.
    public var documentLimits = XMLLimits()
    /// The limits of a multipart response and its attachments.
    public var multipartLimits = MultipartLimits()
    /// The names of the response's headers that the caller processes; none by default.
    ///
    /// A response with another header that must be understood fails with ``SOAPClientError/notUnderstood(_:)``.
    public var understoodHeaders: Set<XMLName> = []
    /// Whether a response is accepted although it has unknown headers that must be understood; `false` by default.
    public var ignoresUnknownHeaders = false
    /// The time that a call may take in all; `nil`, the default, for the session's limit.
    public var timeout: Duration?
    /// The HTTP header fields of every request; none by default.
    ///
    /// `Content-Type` and `SOAPAction` are set by the client.
    public var headerFields: HTTPFields = [:]

    /// The default options.
    public init() {}
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import Countersign
public import XMLDocuments

/// How a client writes requests and reads responses.
public struct SOAPOptions: Sendable {
    /// The place of a request's binary values.
    public enum Binaries: Hashable, Sendable {
        /// Into the envelope, as base64.
        case inline
        /// Beside the envelope from a number of bytes on (MTOM). Smaller ones stay in it.
        case attached(from: Int)

        /// Beside the envelope from 1 KiB on.
        public static let mtom = Self.attached(from: 1024)
    }

    /// Where binary values go; into the envelope by default.
    ///
    /// A signed request keeps them there always, so that they are signed too.
    public var binaries = Binaries.inline
    /// How exactly a response has to be as its schema says; exactly by default.
    public var reading = XMLReadingOptions.strict
    /// The limits of an envelope.
    ///
    /// The default is 64 MiB and a depth of 256.
    public var documentLimits = XMLLimits()
    /// The limits of attachments.
    public var multipartLimits = MultipartLimits()
    /// The headers of responses that the caller takes care of.
    public var understoodHeaders: Set<XMLName> = []
    /// Whether a response's headers that must be understood are ignored; they are not by default.
    public var ignoresUnknownHeaders = false
    /// How long a call may take; `nil` for the session's limit.
    public var timeout: Duration?
    /// Header fields of HTTP for every request.
    public var headerFields: HTTPFields = [:]

    /// The default options.
    public init() {}
}

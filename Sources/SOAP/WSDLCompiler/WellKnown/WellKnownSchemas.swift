// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Schemas that the reader has itself, because many descriptions refer to them without a document, or by a URL that gives none.
package enum WellKnownSchemas {
    /// Schemas by their target namespaces, written from the specifications.
    package static let texts: [String: String] = [
        KnownNamespaces.xml: xml, KnownNamespaces.soap11Encoding: encoding(KnownNamespaces.soap11Encoding),
        KnownNamespaces.soap12Encoding: encoding(KnownNamespaces.soap12Encoding),
        "http://www.w3.org/2005/05/xmlmime": mime("http://www.w3.org/2005/05/xmlmime"),
        "http://www.w3.org/2004/11/xmlmime": mime("http://www.w3.org/2004/11/xmlmime"),
        "http://www.w3.org/2004/08/xop/include": xop,
        "http://www.w3.org/2005/08/addressing": addressing("http://www.w3.org/2005/08/addressing"),
        "http://schemas.xmlsoap.org/ws/2004/08/addressing":
            addressing("http://schemas.xmlsoap.org/ws/2004/08/addressing"),
        "http://schemas.xmlsoap.org/soap/envelope/": soap11Envelope,
        "http://www.w3.org/2003/05/soap-envelope": soap12Envelope,
        "http://docs.oasis-open.org/wsn/b-2": baseNotification,
        "http://docs.oasis-open.org/wsn/t-1": topics,
        "http://docs.oasis-open.org/wsrf/bf-2": baseFaults,
    ]
}

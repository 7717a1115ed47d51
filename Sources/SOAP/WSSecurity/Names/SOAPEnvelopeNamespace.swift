// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import XMLDocuments

/// The namespace of an envelope, which tells the version of SOAP.
enum SOAPEnvelopeNamespace: String, CaseIterable {
    case soap11 = "http://schemas.xmlsoap.org/soap/envelope/"
    case soap12 = "http://www.w3.org/2003/05/soap-envelope"

    func name(_ local: String) -> XMLName { XMLName(local, in: rawValue) }

    /// The attribute that names whom a header is for.
    var actor: XMLName { name(self == .soap11 ? "actor" : "role") }

    /// What `mustUnderstand` says for true.
    var truth: String { self == .soap11 ? "1" : "true" }
}

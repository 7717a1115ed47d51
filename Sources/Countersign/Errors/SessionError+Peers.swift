// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Challenges
import HTTPTransport

extension ConnectionPeer {
    /// The peer at the beginning of a sentence.
    var subject: String { role == .proxy ? "The proxy \(endpoint)" : endpoint.description }

    /// A policy belongs to a host; a proxy is named as one.
    var policyHolder: String { role == .proxy ? description : host.description }

    /// The text that fits the role of the peer.
    func text(_ text: String, forProxy proxyText: String) -> String { role == .proxy ? proxyText : text }
}

extension ProtectionSpace {
    /// Who asks, at the beginning of a sentence.
    package var subject: String { (role == .proxy ? "The proxy " : "") + "\(host):\(port)" }
}

extension ConnectionPeer {
    /// Stands in the examples of the catalogue.
    static let example = ConnectionPeer.origin(.example)
    static let exampleProxy = ConnectionPeer.proxy(.exampleProxy)
}

extension Endpoint {
    /// Stands in the examples of the catalogue.
    static let example = Endpoint(host: .localhost, port: 8443)
    static let exampleProxy = Endpoint(host: .localhost, port: 3128)
}

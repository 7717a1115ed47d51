// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
package import Countersign

/// A place, and where connections to it lead instead.
package struct ConnectToOption: Hashable, Sendable {
    /// `nil` is the URL's.
    package let place: Endpoint?
    package let destination: Endpoint

    /// Reads `HOST:PORT:ADDRESS`.
    package static func resolving(_ text: String) throws -> ConnectToOption {
        let form = "write it as HOST:PORT:ADDRESS, with one address"
        var rest = text[...]
        guard let place = try endpoint(from: &rest), !rest.contains(","), let address = try? HostName(String(rest)),
            address.isAddress
        else { throw WrongValue(form) }
        return ConnectToOption(place: place, destination: Endpoint(host: address, port: place.port))
    }

    /// Reads `HOST:PORT:HOST:PORT`, of which the first two may be empty.
    package static func connecting(_ text: String) throws -> ConnectToOption {
        let form = "write it as HOST:PORT:HOST:PORT; '::HOST:PORT' stands for the URL's own host and port"
        var rest = text[...]
        let place = rest.hasPrefix("::") ? nil : try endpoint(from: &rest)
        if rest.hasPrefix("::"), place == nil {
            rest = rest.dropFirst(2)
        } else if place == nil {
            throw WrongValue(form)
        }
        rest += ":"
        guard let destination = try endpoint(from: &rest), rest.isEmpty else { throw WrongValue(form) }
        return ConnectToOption(place: place, destination: destination)
    }

    /// Takes `HOST:PORT:` off the front, an IPv6 address in brackets; `nil` where there is no such thing.
    private static func endpoint(from text: inout Substring) throws(WrongValue) -> Endpoint? {
        let isBracketed = text.hasPrefix("[")
        guard let hostEnd = isBracketed ? text.firstIndex(of: "]").map(text.index(after:)) : text.firstIndex(of: ":"),
            text[hostEnd...].first == ":"
        else { return nil }
        let afterHost = text.index(after: hostEnd)
        guard let portEnd = text[afterHost...].firstIndex(of: ":") else { return nil }
        let (name, port) = (String(text[..<hostEnd]), text[afterHost..<portEnd])
        guard name != "*" else { throw WrongValue("name the host: '*' is not understood") }
        guard let host = try? HostName(name) else { throw WrongValue("\"\(name)\" is no host") }
        guard let number = Int(port), (1...65_535).contains(number) else {
            throw WrongValue("\"\(port)\" is no port: write a number from 1 to 65535")
        }
        text = text[text.index(after: portEnd)...]
        return Endpoint(host: host, port: number)
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust

extension AcceptableIssuers {
    private static let certificateAuthorities = 47

    /// Reads the TLS 1.2 message (RFC 5246 section 7.4.4); the result is `nil` if it is malformed.
    init?(requestOfTLS12 body: ArraySlice<UInt8>) {
        var reader = TLSReader(body)
        guard reader.vector(lengthOctets: 1) != nil, reader.vector(lengthOctets: 2) != nil,
            let authorities = reader.vector(lengthOctets: 2), reader.rest.isEmpty
        else { return nil }
        self.init(authorities)
    }

    /// Reads the TLS 1.3 message (RFC 8446 section 4.3.2); the result is `nil` if it is malformed.
    init?(requestOfTLS13 body: ArraySlice<UInt8>) {
        var reader = TLSReader(body)
        guard reader.vector(lengthOctets: 1) != nil, let block = reader.vector(lengthOctets: 2), reader.rest.isEmpty,
            let extensions = TLSExtensions(block)
        else { return nil }
        guard let content = extensions[Self.certificateAuthorities] else {
            self.init(names: [])
            return
        }
        // Section 4.2.4: the list must not be empty; a server that accepts every issuer omits the extension.
        reader = TLSReader(content)
        guard let authorities = reader.vector(lengthOctets: 2), reader.rest.isEmpty, !authorities.isEmpty else {
            return nil
        }
        self.init(authorities)
    }

    /// Reads a list of length-prefixed names.
    private init?(_ authorities: ArraySlice<UInt8>) {
        var (reader, names) = (TLSReader(authorities), [[UInt8]]())
        while !reader.rest.isEmpty {
            guard let name = reader.vector(lengthOctets: 2), !name.isEmpty else { return nil }
            names.append(Array(name))
        }
        self.init(names: names)
    }
}

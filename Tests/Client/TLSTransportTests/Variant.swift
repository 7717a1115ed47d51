// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import TLSTransport

/// A library with a version of TLS.
struct Variant: Sendable, CustomStringConvertible {
    static let all = TLSLibrary.available.flatMap { library in
        [TLSProtocolVersion.tls12, .tls13].map { Variant(library: library, version: $0) }
    }

    /// The variants in which a key may be elsewhere.
    static let boringSSL = all.filter { $0.library == .boringSSL }

    let library: TLSLibrary
    let version: TLSProtocolVersion

    var versions: ClosedRange<TLSProtocolVersion> { version...version }
    var description: String { "\(library), \(version.name)" }

    func settings(serverName: String? = nil, applicationProtocols: [String] = []) -> TLSClientSettings {
        TLSClientSettings(serverName: serverName, applicationProtocols: applicationProtocols, library: library)
    }
}

extension TLSLibrary {
    /// The libraries of this build.
    static let available = allCases.filter(\.isAvailable)
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations
import CertificateTrust
import Countersign
import HTTPTypes

extension RemoteName {
    /// Takes the name that a response suggests, else the URL's.
    ///
    /// - Parameters:
    ///   - response: With a field `Content-Disposition` or without.
    ///   - fallback: The URL's name; `nil` where it has none that may be used.
    ///   - url: For the error.
    ///   - warn: Told of a suggestion that is not used.
    /// - Throws: ``RemoteNameError/url(_:_:)`` where neither name may be used.
    init(
        suggestedBy response: Response, _ fallback: RemoteName?, _ url: String, warn: (String) -> Void
    ) throws(RemoteNameError) {
        let suggestion = response.headerFields[.contentDisposition].flatMap(ContentDisposition.fileName)
        do throws(Fault) {
            guard let suggestion else { throw .missing }
            try self.init(suggestion)
        } catch {
            if let suggestion {
                warn("countersign: the server's file name \"\(suggestion.printable)\" is not used: \(error.text)")
            }
            guard let fallback else { throw .url(url, error) }
            self = fallback
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CommandSupport
package import Countersign
package import ErrorExplanations
import EssentialFoundation

extension FileServerMemory {
    /// Makes the memory of the command, in the folder of the user's settings.
    package init(environment: [String: String]) throws {
        try self.init(folder: ConfigurationFolder.url(environment).appending(path: "servers"))
    }
}

package enum KnownServersError: Error {
    case unknown(HostEndpoint)
}

extension KnownServersError: CataloguedError {
    package var explanation: ErrorExplanation {
        switch self {
        case .unknown(let endpoint):
            ErrorExplanation(
                "known-server.not-found", "No key of \(endpoint) is remembered.",
                reason: "A key is remembered by host and port, at the first connection with --trust first-use.",
                advice: "Check the host, and add the port if it is not 443.")
        }
    }

    package static var examples: [KnownServersError] {
        [try? HostEndpoint(host: HostName("localhost"), port: 8443)].compactMap { $0.map(Self.unknown) }
    }
}

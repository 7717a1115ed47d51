// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CommandSupport

/// The program `countersign-discover`, of the package `Nearby`, which speaks multicast DNS for this one.
enum DiscoverProgram {
    /// Its path.
    ///
    /// - Throws: ``ServiceError/notInstalled``.
    static func path(_ commands: ExternalCommands = .installed()) throws(ServiceError) -> String {
        guard let path = commands.path(of: "discover") else { throw .notInstalled }
        return path
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore
import NIOPosix
import POSIX

/// The choice of the user's port, which stays the same so that data that a browser stores for the
/// origin remains available.
enum PortChoice {
    private static let first = 8377
    private static let last = 8396

    /// Chooses a port.
    ///
    /// - Parameters:
    ///   - wanted: The port of the command line, which is not saved; 0 for any free port.
    ///   - address: The address on which the server will listen.
    ///   - file: The settings file in which the chosen port is saved.
    /// - Returns: A port on which no program listens.
    /// - Throws: ``WebError/portInUse(_:)``, ``WebError/noFreePort(first:last:)``, and errors from reading and writing
    ///   the file.
    static func port(_ wanted: Int?, at address: String, savedIn file: SettingsFile) async throws -> Int {
        if let wanted {
            guard let port = try await bind(wanted, address) else { throw WebError.portInUse(wanted) }
            return port
        }
        var contents = try file.read()
        if let stored = contents.port {
            guard try await bind(stored, address) != nil else { throw WebError.portInUse(stored) }
            return stored
        }
        for port in first...last where try await bind(port, address) != nil {
            contents.port = port
            try file.write(contents)
            return port
        }
        throw WebError.noFreePort(first: first, last: last)
    }

    /// Listens on a port for a moment.
    ///
    /// - Returns: The port, or `nil` if another program uses it.
    /// - Throws: ``WebError/cannotListen(address:port:code:)`` for any other reason.
    private static func bind(_ port: Int, _ address: String) async throws -> Int? {
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        do {
            let channel = try await bootstrap.bind(host: address, port: port).get()
            let port = channel.localAddress?.port
            try? await channel.close()
            return port
        } catch let error as IOError where error.errnoCode != EADDRINUSE {
            throw WebError.cannotListen(address: address, port: port, code: error.errnoCode)
        } catch {
            return nil
        }
    }
}

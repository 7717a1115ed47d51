// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore
import NIOPosix
import POSIX

/// The port of a user, which stays the same, so that what a browser keeps for the origin stays of use.
enum PortChoice {
    private static let first = 8377
    private static let last = 8396

    /// Chooses a port.
    ///
    /// - Parameters:
    ///   - wanted: The port of the command line, which is not kept; 0 for any free one.
    ///   - address: What it is listened at.
    ///   - file: Where the chosen port is kept.
    /// - Returns: A port on which nothing listens.
    /// - Throws: ``WebError/portInUse(_:)``, ``WebError/noFreePort(first:last:)``, and what reading and writing the file throws.
    static func port(_ wanted: Int?, at address: String, keptIn file: SettingsFile) async throws -> Int {
        if let wanted {
            guard let port = try await bind(wanted, address) else { throw WebError.portInUse(wanted) }
            return port
        }
        var contents = try file.read()
        if let kept = contents.port {
            guard try await bind(kept, address) != nil else { throw WebError.portInUse(kept) }
            return kept
        }
        for port in first...last where try await bind(port, address) != nil {
            contents.port = port
            try file.write(contents)
            return port
        }
        throw WebError.noFreePort(first: first, last: last)
    }

    /// Listens for a moment.
    ///
    /// - Returns: The port; `nil` where another program has it.
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

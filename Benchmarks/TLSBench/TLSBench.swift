// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import EssentialFoundation
import NIOCore
import NIOPosix
import Turns

/// Compares the TLS handler with NIOSSL's in one process, without the rest of an HTTP client.
@main
struct TLSBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tls-bench",
        abstract: "Measure new connections in turns with NIOSSL, or the memory of idle connections.")

    @Option(help: "The port of a server that closes each connection after a response, and yields no sessions.")
    var port: Int

    @Option(help: "The port of a server that yields sessions; without it, no session is resumed.")
    var resumptionPort: Int?

    @Option(help: "The number of connections whose memory is measured, instead of their processor time.")
    var idle: Int?

    @Option(help: "The handler whose memory is measured: own, niossl or none.")
    var handler = ClientTLS.Kind.own

    @Option(help: "The number of turns of each contender.")
    var rounds = 11

    @Option(help: "The processor time of a turn, in milliseconds.")
    var turn = 200

    func run() async throws {
        // All connections share one thread, as in a small client.
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let own = BenchClient(try ClientTLS(.own), group, port: port)
        if let idle {
            let client = BenchClient(try ClientTLS(handler), group, port: port)
            print(try await IdleMemory.bytesPerConnection(client, count: idle))
        } else {
            let niossl = BenchClient(try ClientTLS(.niossl), group, port: port)
            var contenders = [Contender("NIOSSL", once: niossl.connect), Contender("TLSTransport", once: own.connect)]
            if let resumptionPort {
                let resuming = BenchClient(try ClientTLS(.resuming), group, port: resumptionPort)
                // The first connection obtains a session.
                try await resuming.connect()
                contenders.append(Contender("TLSTransport, resumed", once: resuming.connect))
            }
            print(Table.heading)
            try await Turns(rounds: rounds, length: turn, trial: 20).measure(contenders).lines.forEach { print($0) }
        }
        try await group.shutdownGracefully()
    }
}

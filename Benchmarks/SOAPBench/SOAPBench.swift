// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import ChallengeLab
import Countersign
import EssentialFoundation
import NIOCore
import SOAPClients
import Turns

/// Measures the cost of a SOAP call compared with the bare session's request, and the memory for a large attachment.
@main
struct SOAPBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "soap-bench", abstract: "Measure SOAP calls compared with the bare session's requests.")

    @Option(help: "The number of turns of each contender.")
    var rounds = 11

    @Option(help: "The approximate size of a message, in KiB.")
    var size = 10

    @Option(help: "Send and receive an attachment of this size in MiB instead, and print the peak memory.")
    var attachment: Int?

    func run() async throws {
        if let attachment { return try await measureMemory(mebibytes: attachment) }
        let scene = try BenchScene(size: size << 10)
        let server = try await ScriptedServer.start { _ in .init(.ok, [.contentType: "text/xml"], body: scene.response)
        }
        let session = HTTPSession(HTTPSession.Configuration())
        let url = "http://127.0.0.1:\(server.port)/"
        let bare = Contender("session alone") {
            let request = SessionRequest(url: url, method: .post, body: .bytes(scene.request))
            _ = try await session.send(request).bytes()
        }
        let memory = SOAPClient(session: MemoryService(response: scene.response), endpoint: url)
        let calls = Contender("SOAP call, session") {
            try await scene.call(SOAPClient(session: session, endpoint: url))
        }
        let inMemory = Contender("SOAP call, service in memory") { try await scene.call(memory) }
        let table = try await Turns(rounds: rounds, length: 300).measure([bare, calls, inMemory])
        print("\(scene.request.count) bytes there, \(scene.response.count) bytes back")
        print(Table.heading)
        for line in table.lines { print(line) }
        let medians = table.medians
        print("added by the call: \(Int((medians[1] - medians[0]) / 1000)) µs")
        await session.close()
        await server.stop()
    }
}

/// A service that answers every request with the same bytes.
private struct MemoryService: RequestSender {
    let response: [UInt8]

    func send(_ request: SessionRequest) async throws -> SessionResponse {
        try SessionResponse(
            to: request, headerFields: [.contentType: "text/xml"], body: .bytes(ByteBuffer(bytes: response)))
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTransport
import FuzzDriver

/// Fuzzes a server's handshake with lines of the key log, in portions and at once.
@main
enum ServerFlightFuzz {
    static func main() throws {
        let status = try FuzzDriver.run(seeds: { _ in FlightSeeds.all }) { bytes, count in
            ServerFlightFuzz.test(FuzzDriver.input(bytes, count))
            return 0
        }
        guard status == 0 else { fatalError("libFuzzer ended with \(status)") }
    }

    private static func test(_ input: [UInt8]) {
        guard let input = FlightInput(input) else { return }
        let findings = findings(of: input, portion: input.portion)
        precondition(findings == Self.findings(of: input, portion: .max), "the result depends on the portions")
        precondition(findings.count <= 2, "found twice")
        for case .acceptableIssuers(let issuers) in findings {
            let size = issuers.names.reduce(0) { $0 + 2 + $1.count }
            precondition(size <= min(input.count, ServerFlight.limit), "names that the server did not send")
        }
    }

    private static func findings(of input: FlightInput, portion: Int) -> [ServerFlight.Finding] {
        var (flight, findings) = (ServerFlight(), [ServerFlight.Finding]())
        for event in input.events {
            switch event {
            case .bytes(let bytes):
                var rest = bytes[...]
                while !rest.isEmpty {
                    findings += flight.receive(rest.prefix(portion))
                    rest = rest.dropFirst(portion)
                }
            case .line(let line):
                guard let secret = HandshakeSecret(keyLogLine: line) else { continue }
                precondition("\(secret)" == "HandshakeSecret", "a secret is printed")
                findings += flight.receive(secret)
            }
            // Decrypted bytes are stored in addition to received ones.
            precondition(
                stored(by: flight) <= (flight.isDone ? 0 : 2 * ServerFlight.limit + 64), "too many bytes are stored")
        }
        return findings
    }

    /// Returns the number of bytes in all arrays of a value.
    private static func stored(by value: Any) -> Int {
        if let bytes = value as? [UInt8] { return bytes.count }
        return Mirror(reflecting: value).children.reduce(0) { $0 + stored(by: $1.value) }
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import EssentialFoundation
import FuzzDriver
import Secrets

/// Fuzzes responses to a server's NTLM challenge.
@main
enum NTLMFuzz {
    static func main() throws {
        let status = try FuzzDriver.run(seeds: { _ in seeds }) { bytes, count in
            NTLMFuzz.test(FuzzDriver.input(bytes, count))
            return 0
        }
        guard status == 0 else { fatalError("libFuzzer ended with \(status)") }
    }

    private static let header: [UInt8] = Array("NTLMSSP\0".utf8) + [2, 0, 0, 0] + [UInt8](repeating: 0, count: 8)

    /// Challenges without target information, and with a name, flags and a time.
    private static let seeds: [[UInt8]] = [
        header + [1, 2, 8, 0] + [1, 2, 3, 4, 5, 6, 7, 8],
        header + [1, 2, 0x88, 0] + [UInt8](repeating: 3, count: 16) + [30, 0, 30, 0, 48, 0, 0, 0]
            + [1, 0, 2, 0, 0x41, 0] + [6, 0, 4, 0, 1, 0, 0, 0] + [7, 0, 8, 0, 1, 2, 3, 4, 5, 6, 7, 8] + [0, 0, 0, 0],
    ]

    private static let negotiated: NTLMExchange? = {
        let binding = ChannelBinding(tlsServerEndPointHash: [1, 2, 3])
        var exchange = try? NTLMExchange(
            user: "D\\u", password: Secret("p"), service: "HTTP/a.test", channelBinding: binding)
        _ = exchange?.negotiateToken()
        return exchange
    }()

    private static func test(_ input: [UInt8]) {
        guard var exchange = negotiated else { preconditionFailure("the account is refused") }
        let time = Date(timeIntervalSince1970: 0)
        guard let answer = try? exchange.authenticate(answering: input, at: time, clientChallenge: 1) else { return }
        precondition(answer.count >= 88 && answer[8] == 3, "the answer is invalid")
        precondition(answer[88..<112].allSatisfy { $0 == 0 }, "an LM response was sent")
        precondition(
            (try? exchange.authenticate(answering: input, at: time, clientChallenge: 1)) == nil, "answered twice")
    }
}

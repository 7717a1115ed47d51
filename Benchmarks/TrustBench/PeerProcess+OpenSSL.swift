// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import Turns

extension PeerProcess {
    /// Starts the program of `openssl/verify.c`.
    convenience init(openssl program: String) throws { try self.init(program, [BenchChain.host]) }

    /// Returns the operations that the program of `openssl/verify.c` can perform with the chain in a folder.
    func contenders(chainIn folder: URL) -> [Contender] {
        let prefix = folder.appending(path: "chain").path
        return [
            contender("the two signatures (OpenSSL)", mode: "signatures", prefix: prefix),
            contender("OpenSSL, parsed", mode: "parsed", prefix: prefix),
            contender("OpenSSL, from bytes", mode: "bytes", prefix: prefix),
        ]
    }
}

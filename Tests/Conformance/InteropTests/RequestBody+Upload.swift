// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
import NIOCore

extension SessionRequestBody {
    /// Creates a one-shot body with the given number of bytes.
    static func upload(_ size: Int) -> SessionRequestBody {
        let (parts, source) = AsyncStream.makeStream(of: ByteBuffer.self)
        source.yield(ByteBuffer(repeating: 7, count: size))
        source.finish()
        return .oneShot(length: size, parts)
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
import NIOCore

extension RequestBody {
    /// So many bytes, of which there is only one edition.
    static func upload(_ size: Int) -> RequestBody {
        let (parts, source) = AsyncStream.makeStream(of: ByteBuffer.self)
        source.yield(ByteBuffer(repeating: 7, count: size))
        source.finish()
        return .oneShot(length: size, parts)
    }
}

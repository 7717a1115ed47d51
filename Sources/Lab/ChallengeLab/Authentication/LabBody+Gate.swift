// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore

extension LabBody {
    /// A body that is there already, hashed as a gate asks for it (``LabGate/bodyHash``).
    package init(_ bytes: [UInt8], hashedFor gate: any LabGate) {
        self.init(Use(isGathered: true, hash: gate.bodyHash))
        append(ByteBuffer(bytes: bytes))
    }
}

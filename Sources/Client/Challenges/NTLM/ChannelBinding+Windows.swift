// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto

extension ChannelBinding {
    /// MD5 of the bindings as Windows lays them out: gss_channel_bindings_struct (RFC 2744 section 3.11), without addresses.
    var windowsHash: [UInt8] {
        // The types and lengths of two addresses: four numbers of four bytes.
        var structure = [UInt8](repeating: 0, count: 16)
        structure.append(littleEndian: UInt32(truncatingIfNeeded: applicationData.count))
        return Array(Insecure.MD5.hash(data: structure + applicationData))
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes

extension HTTPFields {
    /// Fields in their order, taken in at once: each that is appended by itself costs as much as all of them.
    init(all list: [HTTPField]) {
        self.init()
        replaceSubrange(startIndex..<endIndex, with: list)
    }
}

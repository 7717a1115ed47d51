// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension String {
    /// Whether the bytes of an ASCII text occur in this one.
    ///
    /// `contains(_:)` compares characters, and its first call costs a short run of the command 2 % of its time.
    func containsBytes(of text: String) -> Bool {
        utf8.indices.contains { utf8[$0...].starts(with: text.utf8) }
    }
}

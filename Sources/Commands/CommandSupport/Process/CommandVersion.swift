// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The version of `countersign`.
package enum CommandVersion {
    package static let current = "0.1.0"
}

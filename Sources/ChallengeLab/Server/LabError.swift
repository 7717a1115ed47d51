// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Why the lab could not do what it was asked.
@nonexhaustive
public enum LabError: Error, Hashable, Sendable {
    /// A file of this path cannot be written, for the reason of this `errno`.
    case cannotWrite(String, code: Int32)
    /// No server can listen on this address, for the reason of this `errno`.
    case cannotListen(String, code: Int32)
    /// The system gave a listener no port.
    case noPort
}

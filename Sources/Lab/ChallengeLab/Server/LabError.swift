// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Why the lab could not start a server or write a file.
@nonexhaustive
public enum LabError: Error, Hashable, Sendable {
    /// The file or folder of this path cannot be written; the code is an `errno`.
    case cannotWrite(String, code: Int32)
    /// No server can listen on this address; the code is an `errno`.
    case cannotListen(String, code: Int32)
    /// The system gave a listener no port.
    case noPort
}

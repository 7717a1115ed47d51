// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import CXML2

/// Calls libxml2 without what it prints to the standard error by itself, such as a message for each malformed byte.
///
/// A sender could fill a server's log with them.
package func withoutMessages<Value, Failure: Error>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
    let before = xml_silence()
    defer { xml_restore(before) }
    return try body()
}

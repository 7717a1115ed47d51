// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Why the lab could not do what it was asked.
@nonexhaustive
public enum LabError: Error, Hashable, Sendable {
    case cannotWrite(String)
    case noPort
}

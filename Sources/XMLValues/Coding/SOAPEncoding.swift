// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// How values are written: as their schema says, or with their types beside them.
public enum SOAPEncoding: Hashable, Sendable {
    /// As the schema says.
    case literal
    /// With types, by SOAP 1.1 section 5.
    case soap11
    /// With types, by SOAP 1.2 Part 2 section 3.
    case soap12
}

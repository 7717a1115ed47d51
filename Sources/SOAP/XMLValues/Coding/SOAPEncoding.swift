// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// How values are written: as their schema says, or by the rules of SOAP's encoding, which name each value's type.
public enum SOAPEncoding: Hashable, Sendable {
    /// Values are written as their schema says, without types.
    case literal
    /// Elements have an `xsi:type`, and arrays are written by SOAP 1.1 section 5.
    case soap11
    /// Elements have an `xsi:type`, and arrays are written by SOAP 1.2 Part 2 section 3.
    case soap12
}

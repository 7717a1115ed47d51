// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The kind of a component that others refer to by name (WSDL 1.1 section 2.1, XML Schema Part 1 section 2.2).
///
/// The raw value is its English name.
public enum ComponentKind: String, Hashable, Sendable {
    /// A simple or complex type.
    case type
    /// A global element.
    case element
    /// A global attribute.
    case attribute
    /// A model group.
    case group
    /// A group of attributes.
    case attributeGroup = "attribute group"
    /// A message of WSDL.
    case message
    /// A part of a message.
    case part
    /// A port type of WSDL.
    case portType = "port type"
    /// An operation of a port type.
    case operation
    /// A binding of WSDL.
    case binding
}

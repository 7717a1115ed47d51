// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// An error that a service announces in its description, and sends as the detail of a fault.
///
/// Generated code declares one for each fault of an operation.
public protocol SOAPFaultDetail: Error, Sendable {
    /// What the detail holds.
    associatedtype Detail: XMLCodable
    /// The name of the detail's element.
    static var detailName: XMLName { get }
    /// The error of a fault.
    init(fault: SOAPFault, detail: Detail)
}

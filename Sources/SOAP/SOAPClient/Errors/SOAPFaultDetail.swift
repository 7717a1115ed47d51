// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// An error that a service announces in its description, and sends as the detail of a fault.
///
/// Generated code declares one for each fault of an operation.
public protocol SOAPFaultDetail: Error, Sendable {
    /// The type of the value in the detail.
    associatedtype Detail: XMLCodable
    /// The name of the detail's element.
    static var detailName: XMLName { get }
    /// Creates the error from a fault and the value of its detail.
    init(fault: SOAPFault, detail: Detail)
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import XMLDocuments

/// A service's struct.
struct ServicePlan {
    var name: String
    /// The namespace whose file it goes to.
    var namespace: String
    var documentation: Documentation
    var ports: [Port]
    var operations: [OperationPlan]
    var faults: [FaultPlan]
}

/// An operation's methods and its description.
struct OperationPlan {
    /// What a Body holds.
    struct Body {
        /// `nil` for an empty Body.
        var type: SwiftType?
        /// The element's name; `nil` where none is around the parts, or for an empty Body.
        var element: XMLName?
        var isEncoded: Bool
    }

    struct Header {
        /// The parameter's name.
        var name: String
        var element: XMLName
        var type: SwiftType
    }

    /// The method's name.
    var name: String
    var operation: Operation
    var documentation: Documentation
    var input: Body
    /// `nil` for a one-way operation.
    var output: Body?
    /// Indices of ``ServicePlan/faults``.
    var faults: [Int] = []
    var headers: [Header]
}

/// An error that a service's operations throw.
struct FaultPlan {
    var name: String
    /// The fault's name in the description.
    var original: String
    var element: XMLName
    var type: SwiftType
    var documentation: String?
}

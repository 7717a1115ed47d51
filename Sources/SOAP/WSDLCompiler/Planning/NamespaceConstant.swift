// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The constants of a file that hold namespaces.
enum NamespaceConstant {
    /// The constant's name by the namespace's.
    static func name(of namespaceName: String) -> String { SwiftName.member(namespaceName) + "Namespace" }
}

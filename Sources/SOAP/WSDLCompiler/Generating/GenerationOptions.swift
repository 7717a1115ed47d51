// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// How Swift is made from a description.
package struct GenerationOptions: Sendable {
    /// Who may use what is made.
    package enum Access: String, CaseIterable, Sendable {
        /// Only the module that it is compiled in.
        case `internal`
        case `package`
        /// All modules.
        case `public`
    }

    package var access = Access.public
    /// Whether services are made, and not only types, which need no client.
    package var includesServices = true
    /// Modules that each file imports beside the runtime.
    package var imports: [String] = []
    /// The name of an enum that all is put into, for modules with several services; `nil` for none.
    package var enclosure: String?
    /// The name of the one file that all goes into; `nil` for a file a namespace.
    package var singleFile: String?

    package init() {}
}

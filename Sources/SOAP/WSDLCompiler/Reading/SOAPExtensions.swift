// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import XMLDocuments

/// What a binding's elements of SOAP say (WSDL 1.1 section 3).
struct SOAPExtensions {
    let version: Port.Version
    /// Of the extension elements.
    let namespace: String
    let style: Operation.Style
    let transport: String?

    /// `nil` for a binding to something else, such as plain HTTP.
    init?(binding: DocumentNode) {
        let versions: [(String, Port.Version)] = [
            (KnownNamespaces.soap12Binding, .soap12), (KnownNamespaces.soap11Binding, .soap11),
        ]
        for (namespace, version) in versions {
            guard let soap = binding.children("binding", in: namespace).first else { continue }
            (self.namespace, self.version) = (namespace, version)
            style = soap["style"]?.trimmingSpaces == "rpc" ? .rpc : .document
            transport = soap["transport"]
            return
        }
        return nil
    }

    /// The extension element of a name; of SOAP 1.1 where there is none of SOAP 1.2, which some services mix.
    func element(_ local: String, in node: DocumentNode) -> DocumentNode? {
        elements(local, in: node).first
    }

    func elements(_ local: String, in node: DocumentNode) -> [DocumentNode] {
        let own = node.children(local, in: namespace)
        guard own.isEmpty else { return own }
        let other = version == .soap12 ? KnownNamespaces.soap11Binding : KnownNamespaces.soap12Binding
        return node.children(local, in: other)
    }
}

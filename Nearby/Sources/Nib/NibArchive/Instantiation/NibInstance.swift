// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The objects that were made from a nib, with their connections.
public final class NibInstance {
    /// The objects without a parent, in the order of the nib.
    public let topLevelObjects: [AnyObject]
    /// All actions, in the order of the nib.
    public let actions: [NibAction]
    /// The connections that were not made: attributes for accessibility, segues, and those that the class of an object does not support.
    public let unconnected: [NibConnection]
    private let objects: [NibReference: AnyObject]
    private let genericObjects: NibGenericObjects

    init(
        topLevelObjects: [AnyObject], actions: [NibAction], unconnected: [NibConnection],
        objects: [NibReference: AnyObject], genericObjects: NibGenericObjects
    ) {
        (self.topLevelObjects, self.actions, self.unconnected) = (topLevelObjects, actions, unconnected)
        (self.objects, self.genericObjects) = (objects, genericObjects)
    }

    /// Returns the object that was made for an object of the nib.
    ///
    /// - Parameter reference: The object of the nib.
    /// - Returns: The object; `nil` for an object that becomes a value, such as a string.
    public func object(_ reference: NibReference) -> AnyObject? { objects[reference] }
}

extension Nib {
    /// Makes the objects of the nib and connects them, as UINib and NSNib do.
    ///
    /// The objects are made and decoded; the runtime attributes are set, then outlets and actions are connected, then objects are bound, each
    /// in the order of the file; at last each object gets `awakeFromNib`, in the order of the file. AppKit's owner gets it too, after them.
    ///
    /// - Parameters:
    ///   - owner: The object that the nib's owner stands for; `nil`, the default, if the nib has no connections of its owner.
    ///   - externalObjects: The objects that other placeholders stand for, by their identifiers; AppKit's shared application has
    ///     the identifier `NSApplication`.
    ///   - registry: The registry that makes the objects of classes; by default ``NibGenericObject`` stands for every class.
    ///   - translations: The texts of localized strings by their keys, such as `mi2-00-001.title`; none by default.
    /// - Returns: The objects.
    /// - Throws: ``NibInstantiationError``, and the errors of factories and of objects that take values, attributes or bindings.
    public func instantiate(
        owner: AnyObject? = nil, externalObjects: [String: AnyObject] = [:], registry: NibRegistry = NibRegistry(),
        translations: [String: String] = [:]
    ) throws -> NibInstance {
        let decoder = NibDecoder(
            self, owner: owner, externalObjects: externalObjects, registry: registry, translations: translations)
        let hierarchy = hierarchy
        for reference in hierarchy.objects {
            _ = try decoder.object(reference)
            try decoder.decodeWaiting()
        }
        var connector = NibConnector(decoder)
        let connections = connections
        let bindings = inOrder(connections.filter(\.kind.isBinding))
        for connection in connections where connection.kind == .runtimeAttribute { try connector.connect(connection) }
        for connection in connections where connection.kind != .runtimeAttribute && !connection.kind.isBinding {
            try connector.connect(connection)
        }
        for binding in bindings { try connector.connect(binding) }
        try decoder.decodeWaiting()
        for reference in hierarchy.objects { (decoder.made[reference] as? any NibAwakening)?.awakeFromNib() }
        if !isUIKit { (owner as? any NibAwakening)?.awakeFromNib() }
        return NibInstance(
            topLevelObjects: hierarchy.topLevel.compactMap { decoder.made[$0] }, actions: connector.actions,
            unconnected: connector.unconnected, objects: decoder.made, genericObjects: decoder.genericObjects)
    }

    /// Bindings in the order of the file, but each behind the one that it names as its previous one: `enabled2` needs `enabled`.
    private func inOrder(_ bindings: [NibConnection]) -> [NibConnection] {
        var waiting = Dictionary(bindings.map { ($0.connector, $0) }) { first, _ in first }
        var ordered: [NibConnection] = []
        for binding in bindings {
            // The chain of previous ones ends where one was taken before, and so where it leads in a circle.
            var chain: [NibConnection] = []
            var next: NibReference? = binding.connector
            while let connector = next, let found = waiting.removeValue(forKey: connector) {
                chain.append(found)
                next = object("NSPreviousConnector", of: connector)
            }
            ordered += chain.reversed()
        }
        return ordered
    }
}

extension NibConnection.Kind {
    fileprivate var isBinding: Bool {
        guard case .binding = self else { return false }
        return true
    }
}
